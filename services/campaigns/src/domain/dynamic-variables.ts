/**
 * What can be used as `{{name}}` in an assistant's texts (spec: Campaign, Contact): each key of `custom_data`, and
 * `contact_name`, which wins over a key of that name. A spread, since it copies `__proto__` as a key like any other.
 */
export function dynamicVariables(contact: {
  contactName: string | null;
  customData: Record<string, unknown>;
}): Record<string, unknown> {
  const { contactName, customData } = contact;
  return contactName === null ? { ...customData } : { ...customData, contact_name: contactName };
}
