/** The part of an offset list that a request names [general.14]. */
export type Page = { limit: number; offset: number };
