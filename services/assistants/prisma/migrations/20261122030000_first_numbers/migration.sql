-- The list shows the first of an assistant's numbers: one probe, also of an assistant that thousands of numbers name.
-- Without the order in the index such a one made the planner walk along all numbers of all workspaces.
CREATE INDEX number_links_inbound_idx ON number_links (inbound_agent_id, phone_number_id);
CREATE INDEX number_links_outbound_idx ON number_links (outbound_agent_id, phone_number_id);
DROP INDEX number_links_inbound_agent_id_idx;
DROP INDEX number_links_outbound_agent_id_idx;
