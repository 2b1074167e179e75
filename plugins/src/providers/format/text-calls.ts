import { endOfJson } from '@svc/core/text'
import { asText, isRecord, toList } from './json.ts'
import { MOST_BLANKS } from './think-tags.ts'

/** A tool call that was found in a text. */
export interface TextCall {
  readonly name: string
  /** Text where it was cut off. */
  readonly args: unknown
}

/** How the models of several families begin a call in their text, tag by tag. */
const TAGS = [
  '<tool_call>',
  '<function=',
  '<|tool_call|>',
  '<|tool_call>',
  '<|python_tag|>',
  '[TOOL_CALLS]',
  'functools[',
  '<｜tool▁calls▁begin｜>',
  '<｜tool▁call▁begin｜>',
]
/** What a text begins with that may be nothing but a call. */
const BARE = /^\s*(?:```|[{[])/
/** Where a call may begin in the text of a model that is to write calls. */
const LIKELY = /```|(?<=^|\n)[^\S\n]*[{[]/
/** Between calls, and around them, where nothing else is said. */
const FILLER =
  /<\/?tool_call>|<\/?\|?tool_calls?\|?>|<\|python_tag\|>|<\|(?:eot|eom|im_end)[^|]*\|>|\[\/?TOOL_CALLS\]|functools|```\w*|<｜[^｜]*｜>|[\s;,]/g

/**
 * Finds tool calls that a model wrote into its text, piece by piece. What may be a call is held back until the end; the
 * rest is handed on as it comes.
 *
 * Dialects: `<tool_call>{…}</tool_call>` (Hermes, Qwen), `<function=name>` with JSON or parameters (Llama, Qwen Coder),
 * `[TOOL_CALLS] […]` (Mistral), `<|tool_call|>[…]` (Granite), `functools[…]` (Phi), `<|python_tag|>{…}` and bare JSON
 * (Llama), DeepSeek's tags, and JSON in a code fence.
 */
export class TextCalls {
  readonly #names: ReadonlySet<string>
  readonly #isInstructed: boolean
  /** Whether nothing but blanks was handed on. */
  #isBlank = true
  #held = ''
  #isHolding = false

  /**
   * @param names of the tools that are offered
   * @param isInstructed whether the model is to write its calls: then a call may begin with less than a tag
   */
  constructor(names: ReadonlySet<string>, isInstructed: boolean) {
    this.#names = names
    this.#isInstructed = isInstructed
  }

  /** @returns what is no part of a call for certain */
  take(piece: string): string {
    this.#held += piece
    if (this.#isHolding) return ''
    const at = this.#beginning()
    if (at === 0) return ''
    const shown = this.#held.slice(0, at)
    this.#held = this.#held.slice(at)
    this.#isBlank &&= shown.trim() === ''
    return shown
  }

  /**
   * What was held back, once nothing more comes.
   *
   * @param isCut the output limit came: a call without its end is one that was cut
   */
  end(isCut: boolean): { text: string; calls: readonly TextCall[] } {
    const held = this.#held
    this.#held = ''
    if (!this.#isHolding) return { text: held, calls: [] }
    const calls = readCalls(held, isCut).filter(({ name }) => this.#isInstructed || this.#names.has(name))
    return calls.length === 0 ? { text: held, calls } : { text: '', calls }
  }

  /** Where what may be a call begins; sets whether it does. */
  #beginning(): number {
    const text = this.#held
    if (this.#isBlank && BARE.test(text)) {
      this.#isHolding = true
      return 0
    }
    const likely = this.#isInstructed ? (LIKELY.exec(text)?.index ?? -1) : -1
    const found = [likely, ...TAGS.map((tag) => text.indexOf(tag))].filter((at) => at >= 0)
    this.#isHolding = found.length > 0
    if (this.#isHolding) return Math.min(...found)
    // Blanks and backticks may come before a call, and a tag may be cut anywhere.
    const isOpen = (this.#isBlank || this.#isInstructed) && text.length <= MOST_BLANKS && /^\s*`{0,2}$/.test(text)
    return isOpen ? 0 : text.length - cutTagLength(text)
  }
}

/** How many characters at the end may be the start of a tag. */
function cutTagLength(text: string): number {
  const fence = /`{1,2}$/.exec(text)
  if (fence !== null) return fence[0].length
  for (let length = Math.min(24, text.length); length > 0; length--) {
    const end = text.slice(text.length - length)
    if (TAGS.some((tag) => tag.length > length && tag.startsWith(end))) return length
  }
  return 0
}

/** The calls in a text that holds nothing else; none where something else is said. */
export function readCalls(text: string, isCut = false): TextCall[] {
  const calls: TextCall[] = []
  const rest = text
    .replace(/<function=([\w.-]+)>([\s\S]*?)(?:<\/function>|$)/g, (_all, name: string, body: string) => {
      calls.push({ name, args: readParameters(body) })
      return ''
    })
    .replace(
      /(?:function<｜tool▁sep｜>|\[TOOL_CALLS\]\s*)([\w.-]+)(?:\[ARGS\])?\s*(?:```json\s*)?(?=\{)/g,
      (_all, name) => {
        // The name stands before the arguments: written as the others write it.
        return `{"name":${JSON.stringify(name)},"arguments":`
      },
    )
  let at = 0
  let said = ''
  while (at < rest.length) {
    const start = nextJson(rest, at)
    if (start === -1) break
    const found = readJson(rest, start)
    if (found === undefined) {
      const cut = isCut ? toCut(rest.slice(start)) : undefined
      return cut === undefined ? [] : [...calls, cut]
    }
    const more = toCalls(found.value)
    if (more === undefined) return []
    calls.push(...more)
    said += rest.slice(at, start)
    at = found.end
  }
  said += rest.slice(at)
  return said.replace(FILLER, '') === '' ? calls : []
}

/** Where JSON begins: no bracket of a tag such as `[TOOL_CALLS]`. */
function nextJson(text: string, from: number): number {
  const found = /\{|\[(?!\/?TOOL_CALLS\])/g
  found.lastIndex = from
  return found.exec(text)?.index ?? -1
}

/** The JSON value at a place, closed where its brackets are; with the bracket that a dialect leaves out. */
function readJson(text: string, start: number): { value: unknown; end: number } | undefined {
  const end = endOfJson(text, start)
  if (end !== -1) return parsed(text.slice(start, end), end)
  // A call whose name stood before its arguments lacks the last bracket.
  const closed = `${text.slice(start)}}`
  const last = text.lastIndexOf('}') + 1
  if (last <= start || endOfJson(closed, 0) !== closed.length) return undefined
  return parsed(`${text.slice(start, last)}}`, last)
}

function parsed(json: string, end: number): { value: unknown; end: number } | undefined {
  try {
    return { value: JSON.parse(json), end }
  } catch {
    return undefined
  }
}

/** A value as calls, under the names that models have for their fields. */
function toCalls(value: unknown): TextCall[] | undefined {
  if (Array.isArray(value)) {
    const calls = value.map(toCalls)
    return calls.length > 0 && calls.every((each) => each !== undefined) ? calls.flat() : undefined
  }
  if (!isRecord(value)) return undefined
  if (isRecord(value.function)) return toCalls(value.function)
  if (Array.isArray(value.tool_calls)) return toCalls(toList(value.tool_calls))
  const name = asText(value.name) || asText(value.tool) || asText(value.function) || asText(value.tool_name)
  const args = value.arguments ?? value.parameters ?? value.args ?? value.input ?? value.tool_input
  return name === '' || args === undefined ? undefined : [{ name, args }]
}

/** A call that the output limit cut: its arguments stay the text that they are. */
function toCut(text: string): TextCall | undefined {
  const match = /"name"\s*:\s*"([\w.-]+)"\s*,\s*"(?:arguments|parameters|args)"\s*:\s*([\s\S]*)$/.exec(text)
  return match?.[1] === undefined ? undefined : { name: match[1], args: match[2] ?? '' }
}

/** The arguments of `<function=name>`: JSON, or `<parameter=field>value</parameter>` one after the other. */
function readParameters(body: string): unknown {
  if (!body.includes('<parameter=')) return parsed(body, 0)?.value ?? body.trim()
  const args: Record<string, unknown> = {}
  for (const part of body.split('</parameter>').slice(0, -1)) {
    const start = /<parameter=([\w.-]+)>/.exec(part)
    if (start === null) continue
    const text = part.slice(start.index + start[0].length)
    args[start[1] ?? ''] = toValue(text.replace(/^\n/, '').replace(/\n$/, ''))
  }
  return args
}

/** Numbers, truth values, lists and objects are what they are; anything else is text. */
function toValue(text: string): unknown {
  if (!/^\s*(?:-?\d+(?:\.\d+)?|true|false|null|[[{][\s\S]*)\s*$/.test(text)) return text
  return parsed(text, 0)?.value ?? text
}
