-- Erasures of the version before only masked the digits of requests that never became calls, and left what the person was to be called with.
UPDATE dial_requests SET to_number = '', dynamic_variables = '{}'
WHERE state IN ('withdrawn', 'refused') AND to_number ~ '^\+10{6,}$';
