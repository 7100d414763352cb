export { createStoredBytes, type StoredBytes, type StoredTable } from './stored-bytes.ts';
