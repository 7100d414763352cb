// In a service's image: the liveness check of the process. Load balancers check readiness at /readyz.
const port = process.env.INTERNAL_PORT ?? process.env.PORT;
const response = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(3_000) });
process.exit(response.ok ? 0 : 1);
