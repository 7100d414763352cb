-- Where a pass is, with the list of steps that it is a position in: another version may have another list, and then repeats the pass.
ALTER TABLE "removals" ADD COLUMN "position" text;
