/** Makes one file of a program that is started hundreds of times; resolves to the arguments for `node` that run it. */
export function buildProgram(file: URL): Promise<string[]>
