/** libfvad, compiled by Emscripten; see its `fvad.h`. */
declare module '@echogarden/fvad-wasm' {
  type Fvad = {
    readonly HEAP16: Int16Array;
    _malloc(bytes: number): number;
    _fvad_new(): number;
    _fvad_free(handle: number): void;
    _fvad_set_mode(handle: number, mode: number): number;
    _fvad_set_sample_rate(handle: number, rate: number): number;
    /** 1 speech, 0 none, -1 invalid length. */
    _fvad_process(handle: number, samplesAt: number, count: number): number;
  };
  const createModule: () => Promise<Fvad>;

  // biome-ignore lint/style/noDefaultExport: the package has one.
  export default createModule;
}
