export { type EdgeSettings, edgeCommand } from './edge-command.ts';
