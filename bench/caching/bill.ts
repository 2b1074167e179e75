/** What vendors say that they bill of a request, given those before it. */
import { encode } from 'gpt-tokenizer'

type Json = Record<string, unknown>

/** Tokens of one request's input: read from a cache, written to it, and the others. */
export interface Bill {
  read: number
  written: number
  plain: number
}

/** What is shorter is not cached, by either vendor. */
const LEAST_TOKENS = 1_024

export interface Cache {
  bill(body: Json): Bill
}

const list = (value: unknown): Json[] => (Array.isArray(value) ? value : [])

/** How many blocks before a mark are looked at for an entry, and how many marks a request may have. */
const LOOK_BACK = 20
const MOST_MARKS = 4

/**
 * Anthropic's: the request is tools, system blocks, blocks of messages, in this order; what stands up to a `cache_control`
 * mark is kept. Of a request the longest kept beginning is read that ends at a mark or up to 20 blocks before one; what
 * follows up to the last mark is written. Another `tool_choice`, effort or thinking makes other messages of the same blocks.
 *
 * @see https://platform.claude.com/docs/en/build-with-claude/prompt-caching
 */
export class MarkedCache implements Cache {
  readonly #kept = new Set<string>()

  bill(body: Json): Bill {
    const messages = list(body.messages).flatMap(({ role, content }) =>
      (typeof content === 'string' ? [{ type: 'text', text: content }] : list(content)).map((block) => ({
        role,
        block,
      })),
    )
    const system = typeof body.system === 'string' ? [{ type: 'text', text: body.system }] : list(body.system)
    const settings = JSON.stringify([body.tool_choice, body.thinking])
    const blocks = [
      ...list(body.tools).map((block) => ({ block, text: `tool ${unmarked(block)}` })),
      ...system.map((block) => ({ block, text: `system ${unmarked(block)}` })),
      ...messages.map(({ role, block }) => ({
        block,
        text: `${settings} ${role} ${unmarked(block)}`,
        said: unmarked(block),
      })),
    ].map(({ block, text, ...more }) => ({
      isMarked: 'cache_control' in block,
      text,
      tokens: encode('said' in more ? String(more.said) : text).length,
    }))
    let prefix = ''
    let length = 0
    const ends = blocks.map(({ text, tokens, isMarked }) => {
      prefix += `${text}\n`
      length += tokens
      return { prefix, length, isMarked }
    })
    const marks = ends.flatMap(({ isMarked }, at) => (isMarked ? [at] : []))
    if (marks.length > MOST_MARKS) throw new Error(`${marks.length} blocks have cache_control, more than ${MOST_MARKS}`)
    let read = 0
    for (const mark of marks) {
      for (let at = mark; at >= 0 && at > mark - LOOK_BACK; at--) {
        const end = ends[at]
        if (end !== undefined && this.#kept.has(end.prefix)) read = Math.max(read, end.length)
      }
    }
    let last = read
    for (const mark of marks) {
      const end = ends[mark]
      if (end === undefined || end.length < LEAST_TOKENS) continue
      this.#kept.add(end.prefix)
      last = Math.max(last, end.length)
    }
    return { read, written: last - read, plain: length - last }
  }
}

const unmarked = ({ cache_control: _mark, ...block }: Json): string => JSON.stringify(block)

/** Requests go to a machine by the hash of so many tokens, together with the key. */
const ROUTING_TOKENS = 256
const STEP_TOKENS = 128

/**
 * OpenAI's: the longest beginning, in steps of 128 tokens from 1,024, that an earlier request on the same machine had. The
 * schema of an answer stands before the tools, these before the messages.
 *
 * @see https://developers.openai.com/api/docs/guides/prompt-caching
 */
export class PrefixCache implements Cache {
  readonly #machines = new Map<string, number[][]>()

  bill(body: Json): Bill {
    const { prompt_cache_key, response_format, text, tools, instructions, messages, input } = body
    const parts = [response_format ?? text, ...list(tools), instructions, ...list(messages), ...list(input)]
    const tokens = encode(parts.map((part) => JSON.stringify(part) ?? '').join('\n'))
    const machine = JSON.stringify([prompt_cache_key, tokens.slice(0, ROUTING_TOKENS)])
    const before = this.#machines.get(machine) ?? []
    const longest = before.reduce((most, other) => Math.max(most, commonLength(tokens, other)), 0)
    this.#machines.set(machine, [...before, tokens])
    const read = longest < LEAST_TOKENS ? 0 : longest - (longest % STEP_TOKENS)
    return { read, written: 0, plain: tokens.length - read }
  }
}

/**
 * OpenAI's since gpt-5.6: what stands up to a mark, or up to the newest message, is kept, not rounded; the longest kept
 * beginning is read, and what follows up to the last mark is written.
 */
export class BreakpointCache implements Cache {
  readonly #machines = new Map<unknown, Set<string>>()

  bill(body: Json): Bill {
    const { prompt_cache_key, response_format, text, tools, messages, input } = body
    const head = [response_format ?? text, ...list(tools)].map((part) => ({
      text: JSON.stringify(part) ?? '',
      isMarked: false,
    }))
    const said = list(messages ?? input).flatMap(({ content, ...item }) =>
      (Array.isArray(content) ? (content as Json[]) : [{ content }]).map(({ prompt_cache_breakpoint, ...part }) => ({
        text: JSON.stringify([item, part]),
        isMarked: prompt_cache_breakpoint !== undefined,
      })),
    )
    const kept = this.#machines.get(prompt_cache_key) ?? new Set()
    this.#machines.set(prompt_cache_key, kept)
    const blocks = [...head, ...said]
    let prefix = ''
    let length = 0
    let read = 0
    const marks: { prefix: string; length: number }[] = []
    for (const [at, block] of blocks.entries()) {
      prefix += `${block.text}\n`
      length += encode(block.text).length
      if (kept.has(prefix)) read = length
      if ((block.isMarked || at === blocks.length - 1) && length >= LEAST_TOKENS) marks.push({ prefix, length })
    }
    if (marks.length > MOST_MARKS) throw new Error(`${marks.length} marks, more than ${MOST_MARKS}`)
    for (const mark of marks) kept.add(mark.prefix)
    const last = Math.max(read, marks.at(-1)?.length ?? 0)
    return { read, written: last - read, plain: length - last }
  }
}

function commonLength(tokens: readonly number[], others: readonly number[]): number {
  let length = 0
  while (length < tokens.length && tokens[length] === others[length]) length++
  return length
}
