import type { Readable, Writable } from 'node:stream'
import type { Runtime } from '@svc/core'
import { createMcpFactory } from './factory.ts'
import type { McpHost } from './host.ts'
import { loadMcpPackage } from './load-package.ts'
import { Unanswered } from './run/unanswered.ts'

/** As long as a message of HTTP may be. */
const MOST_BYTES = 33_554_432
/** How long a run that is cancelled may take to end, when its client has left. */
const LONGEST_END_MS = 5_000

export interface McpStdioOptions {
  /** Closed by the caller. Who is at the other end may decide what its runs ask. */
  runtime: Runtime
  input: Readable
  /** Gets messages of the protocol, and nothing else. */
  output: Writable
  /** Receives what went wrong beside the messages. */
  onError?: (thrown: unknown) => void
}

/** A client that is served over its standard input and output. */
export interface McpStdio {
  /** Resolves once the client has left, and what it waited for has ended. */
  readonly closed: Promise<void>
  /** Ends the connection, and what its client waits for. */
  close(): Promise<void>
}

/**
 * Serves one client of the Model Context Protocol over a pair of streams, until the input ends.
 *
 * @throws ConfigError `config_invalid` where the protocol's package is not installed
 */
export async function serveMcp({ runtime, input, output, onError = () => {} }: McpStdioOptions): Promise<McpStdio> {
  const [mcp, { serveStdio, StdioServerTransport }] = await Promise.all([
    loadMcpPackage(),
    import('@modelcontextprotocol/server/stdio'),
  ])
  const ending = new Set<Promise<unknown>>()
  const host: McpHost = {
    runtime,
    asker: {},
    mayDecide: true,
    endsWithSignal: true,
    unanswered: new Unanswered(),
    onError,
    attach: () => () => {},
    create: (create, traceparent) =>
      runtime.runs.create(create, { deltas: false, ...(traceparent !== undefined && { traceparent }) }),
    cancel(runId) {
      const ended = runtime.runs
        .cancel(runId, 'the client cancelled the call')
        .then(() => runtime.runs.wait(runId, LONGEST_END_MS))
        .catch(() => {}) // it has ended, or the store is gone
        .finally(() => ending.delete(ended))
      ending.add(ended)
    },
  }
  const transport = new StdioServerTransport(input, output, { maxBufferSize: MOST_BYTES })
  const handle = serveStdio(createMcpFactory(mcp, { hostOf: () => host }), { transport, onerror: onError })
  const { onclose } = transport
  const closed = new Promise<void>((resolve) => {
    transport.onclose = () => {
      onclose?.()
      host.unanswered.cancelAll()
      resolve()
    }
  }).then(async () => {
    // Calls hear of the end of their connection a moment later.
    await new Promise((next) => setImmediate(next))
    await Promise.all(ending)
  })
  return {
    closed,
    async close() {
      await handle.close()
      await closed
    },
  }
}
