import { Option } from 'commander';
import * as read from './arguments.ts';

export const workspaceOption = () =>
  new Option('--workspace <id>', 'the workspace').makeOptionMandatory().argParser(read.id);
