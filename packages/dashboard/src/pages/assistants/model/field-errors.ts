/** Errors of an API response by the path of their field. */
export type FieldErrors = Readonly<Record<string, string>>;

type Detail = { path: string; message: string };

/** The first error of each path. Messages repeat their path, which the field already shows. */
export function fieldErrors(details: readonly Detail[]): FieldErrors {
  const found: Record<string, string> = {};
  for (const { path, message } of details) found[path] ??= withoutPath(path, message);
  return found;
}

/** Whether a field, or anything below it, has an error. */
export function hasErrorBelow(errors: FieldErrors, path: string): boolean {
  return Object.keys(errors).some((key) => key === path || key.startsWith(`${path}.`));
}

function withoutPath(path: string, message: string): string {
  const rest = message.startsWith(`${path} `) ? message.slice(path.length + 1) : message;
  return rest.charAt(0).toUpperCase() + rest.slice(1);
}
