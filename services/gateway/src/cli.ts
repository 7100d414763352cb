#!/usr/bin/env node
import { parseConfig } from '@parley/kit/config';
import { cliConfigSchema } from './cli/cli-config.ts';
import { runCli } from './cli/run-cli.ts';

process.exitCode = await runCli(process.argv, () => parseConfig(cliConfigSchema, process.env));
