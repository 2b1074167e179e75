import { keepCompiledCode } from './code-cache.ts'
import { guardOutput } from './output.ts'

/** Runs a command and ends the process. */
export async function start(argv: readonly string[]): Promise<void> {
  guardOutput()
  keepCompiledCode(process.env)
  const { runCli } = await import('./cli.ts')
  await runCli(argv)
  leave()
}

/** Work that a plugin left running does not keep the process alive once all output is written. */
function leave(): void {
  setTimeout(() => {
    if (process.stdout.writableLength > 0 || process.stderr.writableLength > 0) leave()
    else process.exit()
  }, 500).unref()
}
