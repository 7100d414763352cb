export type JsonSchema = Record<string, unknown>;

/** The body of a response by the id of its endpoint, and of a request to clients by the name of its event. */
export type Examples = ReadonlyMap<string, unknown>;
