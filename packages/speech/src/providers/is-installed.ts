/** Whether the program of an embedded provider is installed on this machine. */
export async function isInstalled(program: 'flite' | 'pocketsphinx'): Promise<boolean> {
  const check =
    program === 'flite'
      ? (await import('../embedded/flite.ts')).checkFlite
      : (await import('../embedded/pocketsphinx.ts')).checkPocketsphinx;
  return check().then(
    () => true,
    () => false,
  );
}
