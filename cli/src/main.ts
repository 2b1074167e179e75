import { writeSync } from 'node:fs'
import { VERSION } from '@svc/core/version'

const argv = process.argv.slice(2)
if (!/^(?:--version|-V)$/.test(argv.join(' ')) || !writeVersion()) {
  const { guardOutput } = await import('./frame/output.ts')
  guardOutput()
  const { keepCompiledCode } = await import('./frame/code-cache.ts')
  keepCompiledCode(process.env)
  const { runCli } = await import('./frame/cli.ts')
  await runCli(argv)
  leave()
}

/** Nothing else is loaded for this, and no stream. @returns false where standard output does not take it as it is */
function writeVersion(): boolean {
  try {
    return writeSync(1, `svc ${VERSION}\n`) > 0
  } catch {
    return false
  }
}

/** Work that a plugin left running does not keep the process alive once all output is written. */
function leave(): void {
  setTimeout(() => {
    if (process.stdout.writableLength > 0 || process.stderr.writableLength > 0) leave()
    else process.exit()
  }, 500).unref()
}
