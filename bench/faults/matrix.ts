/** Calls of a model whose server fails one request in five, in one cell for each fault, wire format, and stream or not. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { definePlugin, type ModelAnswer, type RunContext, toSvcError } from '@svc/core'
import { createRuntime } from '../../plugins/src/index.ts'
import type { Fault } from './faults.ts'
import { type Format, toAnswer } from './formats.ts'

export interface Cell {
  readonly fault: Fault
  readonly format: Format
  readonly stream: boolean
}

export interface Outcome extends Cell {
  calls: number
  /** Of them, those that ended as they should. */
  right: number
  requests: number
  /** Of them, those that failed. */
  faulty: number
  /** What went wrong, a few. */
  wrong: readonly string[]
}

export interface MatrixOptions {
  /** In each cell. */
  calls: number
  seed: number
  /** Of requests, in [0, 1]. */
  share: number
  /** Calls of a cell at once. */
  atOnce: number
  /** How long an answer may take of a server that falls silent, in milliseconds; of others a minute. */
  silenceMs: number
}

/** Numbers in [0, 1) that a seed decides. */
function drawer(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** So many of twenty requests after each other, at places that are drawn: the share holds in a short time, too. */
function drawFaulty(draw: () => number, share: number): () => boolean {
  let block: boolean[] = []
  return () => {
    if (block.length === 0) {
      const keyed = Array.from({ length: 20 }, (_, at) => ({ isFaulty: at < Math.round(20 * share), key: draw() }))
      block = keyed.sort((a, b) => a.key - b.key).map(({ isFaulty }) => isFaulty)
    }
    return block.pop() ?? false
  }
}

const textOf = (call: number): string => `the answer to question ${call}`
const numberIn = (body: string): number => Number(/question number (\d+)/.exec(body)?.[1] ?? -1)

export async function runCell(cell: Cell, options: MatrixOptions): Promise<Outcome> {
  const { fault, format, stream } = cell
  const { calls, share, atOnce } = options
  const timeoutMs = fault.isSilent ? options.silenceMs : 60_000
  const isNextFaulty = drawFaulty(drawer(options.seed), share)
  /** Of each call, how many requests came, and whether one of them failed. */
  const requests = new Map<number, number>()
  const hit = new Set<number>()
  let faulty = 0
  const server = createServer(async (request, response) => {
    const body = await read(request)
    const call = numberIn(body)
    requests.set(call, (requests.get(call) ?? 0) + 1)
    const streams = (JSON.parse(body) as { stream?: boolean }).stream === true
    const isFaulty = isNextFaulty()
    if (isFaulty) {
      faulty++
      hit.add(call)
    }
    const { text = '', ...more } = (isFaulty && fault.says) || {}
    const answer = toAnswer[format]({ text: text || textOf(call), ...more })
    if (isFaulty && fault.send !== undefined) await fault.send(response, answer, streams)
    else send(response, streams ? answer.events : answer.whole)
  })
  server.keepAliveTimeout = 600_000
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const wrong: string[] = []
  let right = 0
  const asking = definePlugin('asking', ({ hooks }) =>
    hooks.execute.tapPromise({ name: 'asking', stage: -100 }, async (_answer, _input, run) => {
      let next = 0
      const work = async (): Promise<void> => {
        for (let call = next++; call < calls; call = next++) {
          const why = await ask(run, call)
          if (why === undefined) right++
          else wrong.push(`${call}: ${why}`)
        }
      }
      await Promise.all(Array.from({ length: atOnce }, work))
      return { status: 'completed', output: 'done', steps: [], agents: [], artifacts: [] }
    }),
  )()

  async function ask(run: RunContext, call: number): Promise<string | undefined> {
    const messages = [{ role: 'user' as const, content: [{ type: 'text' as const, text: `question number ${call}` }] }]
    try {
      const answer = await run.model({ key: `call/${call}`, agentId: 'agent-1', model: '', messages, stream })
      return judge(answer, call)
    } catch (thrown) {
      const { code, message } = toSvcError(thrown)
      return `${code}: ${message}`
    }
  }

  function judge(answer: ModelAnswer, call: number): string | undefined {
    const { says } = fault
    const { inputTokens, outputTokens } = answer.usage
    if (![inputTokens, outputTokens].every((count) => Number.isSafeInteger(count) && count >= 0 && count < 1e7))
      return `usage ${inputTokens}, ${outputTokens}`
    if (says !== undefined && !fault.isRetried && (requests.get(call) ?? 0) > 1) return 'was asked again'
    const isHit = says !== undefined && !fault.isRetried && hit.has(call)
    if (isHit && says.refuses) return answer.finishReason === 'contentFilter' ? undefined : answer.finishReason
    if (isHit && says.calls !== undefined) {
      const ids = new Set(answer.toolCalls.map(({ callId }) => callId))
      return ids.size === says.calls.length ? undefined : `ids ${[...ids]}`
    }
    return answer.text === textOf(call) ? undefined : `answered ${JSON.stringify(answer.text.slice(0, 80))}`
  }

  const runtime = await createRuntime(
    {
      model: 'faulty/m',
      providers: {
        faulty: {
          ...{ type: format, baseUrl: `http://127.0.0.1:${port}/v1`, timeoutMs, chunkTimeoutMs: timeoutMs },
          models: { m: { context: 100_000 } },
        },
      },
      components: { reflect: false, consensus: false, memory: false, inspect: false },
      tokenBudget: 1_000_000_000,
      budget: { maxTokens: 2_000_000_000 },
    },
    { env: {}, plugins: [asking], persist: false },
  )
  try {
    const { id } = await runtime.runs.create({ task: 'Ask.', topology: 'SINGLE' }, { deltas: stream })
    const run = await runtime.runs.wait(id)
    if (run.status !== 'completed') wrong.push(`the run is ${run.status}: ${JSON.stringify(run.error)}`)
  } finally {
    await runtime.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  const sent = [...requests.values()].reduce((sum, count) => sum + count, 0)
  return { ...cell, calls, right, requests: sent, faulty, wrong }
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

function send(response: ServerResponse, answer: object | readonly string[]): void {
  const isStream = Array.isArray(answer)
  response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' })
  response.end(isStream ? answer.join('') : JSON.stringify(answer))
}
