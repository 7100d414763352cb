#!/usr/bin/env node
import { parseConfig } from '@parley/kit/config';
import { runCli } from './cli/run-cli.ts';
import { cliConfigSchema } from './config.ts';

process.exitCode = await runCli(process.argv, () => parseConfig(cliConfigSchema, process.env));
