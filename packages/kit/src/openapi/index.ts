export { buildOpenApi, type OpenApiDocument, type OpenApiInfo } from './build-open-api.ts';
