export { buildOpenApi, type OpenApiDocument } from './build-open-api.ts';
export { HEADER_COMPONENTS } from './response-headers.ts';
