import { mustFit, SLUG } from '../contracts/ids.ts'
import { textMessage } from '../contracts/model/message-text.ts'
import type { ModelPart, ModelProvider, ModelRequest } from '../contracts/model/model.ts'
import { CancelledError, ProviderError, SvcError } from '../errors.ts'
import { differing } from './conformance/compare-calls.ts'
import { describeThrown, findSlow, RuleBook, type RuleOptions } from './conformance/rules.ts'

export interface ProviderCheckOptions extends RuleOptions {
  /** What is asked. Default: one short message to the default model. */
  request?: Partial<ModelRequest>
  /** A request that the provider must fail, e.g. because its server refuses it. Each must end in a `ProviderError`. */
  failing?: readonly Partial<ModelRequest>[]
  /** A request that is still running when it is aborted. Default: `request`, aborted after its first part. */
  slow?: Partial<ModelRequest>
  /** Default 100: how long an aborted call may go on. */
  abortWithinMs?: number
  /** Default 10 000: how long one call may take. */
  timeoutMs?: number
}

const RULES = {
  id: 'its id is a slug',
  models: 'it lists its models, each with an id',
  answers: 'the last part is the only finish, with whole counts, and ids of tool calls differ',
  errors: 'a call that fails ends in a ProviderError',
  cancels: 'a call ends soon after an abort',
  deterministic: 'where it says that it is deterministic, the same request gives the same answer',
}
type ProviderRule = keyof typeof RULES

/**
 * Tests a provider against its contract: the last part is the only finish, counts are whole numbers from 0, ids of tool
 * calls are there and differ, it ends soon after an abort, and it throws nothing but `ProviderError` (after an abort
 * `CancelledError`, or the abort's reason). Where it has `complete`, the same holds for that, and what it returns is what
 * it handed to `onPart`. Where it is `deterministic`, one that was asked something else before answers the same.
 *
 * @param makeProvider makes one for each check
 * @returns what is wrong, one sentence each, with its rule in front; empty when all is well
 */
export async function checkProvider(
  makeProvider: () => ModelProvider | Promise<ModelProvider>,
  options: ProviderCheckOptions = {},
): Promise<string[]> {
  const { request = {}, failing = [], slow = request, abortWithinMs = 100, timeoutMs = 10_000 } = options
  const book = new RuleBook<ProviderRule>(RULES)
  const report = (rule: ProviderRule, where: string, ...found: string[]) =>
    book.add(rule, ...found.map((each) => `${where}: ${each}`))

  const provider = await makeProvider()
  if (!SLUG.test(provider.id)) book.add('id', `"${provider.id}" must ${mustFit(SLUG.source)}`)
  try {
    const models = await provider.models()
    if (models.some((model) => model.id === '')) book.add('models', 'a model has no id')
  } catch (thrown) {
    book.add('models', ...findWrongError(thrown))
  }
  if (failing.length === 0) book.skip('errors', 'no request that fails is known')

  const readers = provider.complete === undefined ? [generateParts] : [generateParts, completeParts]
  for (const read of readers) {
    for (const stream of [false, true]) {
      const where = `${read === completeParts ? 'complete, ' : ''}${stream ? 'streamed' : 'unstreamed'}`
      const { parts, thrown } = await collect(await makeProvider(), toRequest(request, stream), timeoutMs, read)
      if (thrown !== undefined) report('answers', where, `it threw ${describeThrown(thrown)}`)
      else report('answers', where, ...findWrongParts(parts))
      for (const each of failing) {
        const failed = await collect(await makeProvider(), toRequest(each, stream), timeoutMs, read)
        if (failed.thrown === undefined) report('errors', `${where}, failing`, 'it threw nothing')
        else report('errors', `${where}, failing`, ...findWrongError(failed.thrown))
      }
      for (const when of ['before', 'during'] as const) {
        const at = `${where}, aborted${when === 'before' ? ' before' : ''}`
        const late = await findSlow(abortWithinMs, async () => {
          const { tookMs, found } = await abort(await makeProvider(), toRequest(slow, stream), when, read)
          report('cancels', at, ...found)
          return tookMs
        })
        if (late !== undefined) report('cancels', at, late)
      }
    }
  }
  if (provider.deterministic === true)
    book.add('deterministic', ...(await findUnsteady(makeProvider, request, timeoutMs)))
  else book.skip('deterministic', 'it does not say that it is')
  return book.end(options)
}

/** The same request to two providers, of which the second was asked something else before. */
async function findUnsteady(
  makeProvider: () => ModelProvider | Promise<ModelProvider>,
  request: Partial<ModelRequest>,
  timeoutMs: number,
): Promise<string[]> {
  const ask = (provider: ModelProvider, asked: Partial<ModelRequest>) =>
    collect(provider, toRequest(asked, false), timeoutMs, generateParts)
  const { parts } = await ask(await makeProvider(), request)
  const used = await makeProvider()
  await ask(used, { ...request, messages: [textMessage('user', 'How many regions are there?')] })
  const again = await ask(used, request)
  return differing(parts, again.parts) === undefined ? [] : ['it answered the same request in another way']
}

/** Asks, and hands over each part as it comes. */
type Read = (
  provider: ModelProvider,
  request: ModelRequest,
  signal: AbortSignal,
  onPart: (part: ModelPart) => void,
) => Promise<void>

const generateParts: Read = async (provider, request, signal, onPart) => {
  for await (const part of provider.generate(request, { signal })) onPart(part)
}

const completeParts: Read = async (provider, request, signal, onPart) => {
  const handed = { text: '', reasoning: '', toolCalls: [] as unknown[] }
  const answer = await provider.complete?.(request, {
    signal,
    onPart: (part) => {
      if (part.type === 'text' || part.type === 'reasoning') handed[part.type] += part.text
      if (part.type === 'toolCall') handed.toolCalls.push(part.call)
      onPart(part)
    },
  })
  if (answer === undefined) throw new Error('complete returned nothing')
  const { text, reasoning = '', toolCalls, finishReason, usage } = answer
  const differing = JSON.stringify({ text, reasoning, toolCalls }) !== JSON.stringify(handed)
  if (differing) throw new Error('what complete returned is not what it handed to onPart')
  onPart({ type: 'finish', finishReason, usage })
}

const toRequest = (request: Partial<ModelRequest>, stream: boolean): ModelRequest => ({
  model: '',
  messages: [textMessage('user', 'hello')],
  ...request,
  stream,
})

async function collect(provider: ModelProvider, request: ModelRequest, timeoutMs: number, read: Read) {
  const parts: ModelPart[] = []
  const controller = new AbortController()
  const timer = setTimeout(
    () => controller.abort(new CancelledError('cancelled', `no answer came within ${timeoutMs} ms`)),
    timeoutMs,
  )
  try {
    await read(provider, request, controller.signal, (part) => parts.push(part))
    return { parts }
  } catch (thrown) {
    return { parts, thrown }
  } finally {
    clearTimeout(timer)
  }
}

function findWrongParts(parts: readonly ModelPart[]): string[] {
  const found: string[] = []
  const last = parts.at(-1)
  if (last?.type !== 'finish') found.push(`the last part is ${last?.type ?? 'missing'}, not finish`)
  if (parts.filter((part) => part.type === 'finish').length > 1) found.push('there is more than one finish')
  if (last?.type === 'finish') {
    const { estimated, ...counts } = last.usage
    if (counts.inputTokens === undefined || counts.outputTokens === undefined) found.push('usage lacks a count')
    if (typeof estimated !== 'boolean') found.push('usage.estimated is no boolean')
    for (const [name, count] of Object.entries(counts)) {
      if (!Number.isSafeInteger(count) || Number(count) < 0)
        found.push(`usage.${name} is ${count}, no whole number from 0`)
    }
  }
  const ids = parts.flatMap((part) => (part.type === 'toolCall' ? [part.call.callId] : []))
  if (ids.includes('')) found.push('a tool call has an empty callId')
  if (new Set(ids).size < ids.length) found.push(`two tool calls share a callId: ${ids.join(', ')}`)
  return found
}

/** An answer that comes whole is aborted after so long. */
const ABORT_AFTER_MS = 100

/** Aborts a call. @returns how long it went on, and what else is wrong with how it ended */
async function abort(
  provider: ModelProvider,
  request: ModelRequest,
  when: 'before' | 'during',
  read: Read,
): Promise<{ tookMs?: number; found: string[] }> {
  const controller = new AbortController()
  let abortedAt = performance.now()
  const stop = () => {
    abortedAt = performance.now()
    controller.abort()
  }
  if (when === 'before') stop()
  const timer = when === 'during' ? setTimeout(stop, ABORT_AFTER_MS) : undefined
  const thrown = await read(provider, request, controller.signal, () => {
    if (!controller.signal.aborted) stop()
  }).then(
    () => undefined,
    (error: unknown) => error,
  )
  clearTimeout(timer)
  if (!controller.signal.aborted) return { found: [] }
  const tookMs = performance.now() - abortedAt
  if (thrown !== undefined) return { tookMs, found: findWrongError(thrown, controller.signal) }
  return { tookMs, found: when === 'before' ? ['it answered nevertheless'] : [] }
}

function findWrongError(thrown: unknown, aborted?: AbortSignal): string[] {
  if (aborted !== undefined && (thrown === aborted.reason || isCancelled(thrown))) return []
  if (thrown instanceof ProviderError || (SvcError.isInstance(thrown) && 'provider' in thrown)) return []
  return [`it threw ${describeThrown(thrown)}, no ProviderError`]
}

const isCancelled = (thrown: unknown): boolean => SvcError.isInstance(thrown) && thrown.code === 'cancelled'
