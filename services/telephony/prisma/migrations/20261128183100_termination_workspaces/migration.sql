-- Apart from the new column, whose lock would keep the workers from all checks until every one of them is updated.
UPDATE "terminations" t SET "workspace_id" = n."workspace_id" FROM "phone_numbers" n WHERE n."termination" = t."id";
