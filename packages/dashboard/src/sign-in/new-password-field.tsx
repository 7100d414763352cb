import { PasswordInput } from '@mantine/core';

type Props = { label?: string; value: string; onChange: (value: string) => void; error?: string | undefined };

const MIN_PASSWORD = 12;

export function NewPasswordField({ label = 'New password', value, onChange, error }: Props) {
  return (
    <PasswordInput
      label={label}
      description={`At least ${MIN_PASSWORD} characters. A few words make a good one.`}
      name="new-password"
      autoComplete="new-password"
      required
      withAsterisk={false}
      minLength={MIN_PASSWORD}
      maxLength={256}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      error={error}
    />
  );
}
