-- A campaign's call that did not leave is deleted, and written again with the next reservation: the fence must rise from one to the next.
ALTER TABLE "dial_requests" ADD COLUMN "reservations" int NOT NULL DEFAULT 0;
