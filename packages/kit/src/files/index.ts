export { openNameless } from './open-nameless.ts';
