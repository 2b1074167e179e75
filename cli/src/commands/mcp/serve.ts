import { Writable } from 'node:stream'
import { ConfigError } from '@svc/core'
import type { CommandContext } from '../../frame/context.ts'
import { toSafe } from '../../frame/io.ts'
import { untilSignal } from '../../frame/signals.ts'

/** A config that names svc as a server of its own would start it for ever. */
const MOST_DEPTH = 3

/** `svc mcp`: this folder as an MCP server for the program that started it, until that closes standard input. */
export default async function serve(context: CommandContext): Promise<number> {
  const { io } = context
  if (Number(io.env.SVC_MCP_DEPTH ?? 0) >= MOST_DEPTH)
    throw new ConfigError(
      'config_invalid',
      `svc mcp was started by svc, ${MOST_DEPTH} times one in the other: mcpServers of its config names svc itself; take it out, or set "disabled"`,
    )
  const output = takeOutput()
  const { serveMcp } = await import('@svc/server')
  return context.useOwn({ claims: 'own' }, async ({ runtime }) => {
    await context.sayWarnings(runtime)
    const served = await serveMcp({
      runtime,
      output,
      input: process.stdin,
      onError: (thrown) =>
        io.err(`${io.paint.yellow('svc:')} ${toSafe(String((thrown as Error)?.message ?? thrown))}\n`),
    })
    if (io.isInteractive)
      io.err(
        'svc: this speaks MCP with the program that starts it; svc mcp --help shows what else there is. Ctrl-C ends it\n',
      )
    const stopping = untilSignal()
    try {
      await Promise.race([served.closed, stopping.reason])
      await served.close()
      return stopping.exitCode() ?? 0
    } finally {
      stopping.stop()
    }
  })
}

/** Standard output for the protocol alone: what else is written there, such as by a plugin, goes to standard error. */
function takeOutput(): Writable {
  const { stdout, stderr } = process
  const write = stdout.write.bind(stdout)
  stdout.write = stderr.write.bind(stderr)
  return new Writable({
    decodeStrings: false,
    write(chunk, _encoding, done) {
      write(chunk, (error) => done(error))
    },
  })
}
