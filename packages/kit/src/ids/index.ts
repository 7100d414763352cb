export { isUuid, newId } from './uuid.ts';
