import type { ToolSpec } from '@svc/core'
import { containment, toStem, toStems, toWords } from '@svc/core/text'
import { at } from '../cite.ts'
import { claim, heading, note, type Part } from '../claim.ts'
import type { OfferedTools } from '../offered-tools.ts'
import { parametersOf } from '../offered-tools.ts'
import type { Question } from '../question.ts'
import { readExpression } from '../read/expressions.ts'
import { readArguments, readOrder } from '../read/order.ts'
import { notFound, type Skill } from '../skill.ts'
import type { ToolSession } from '../tool-session.ts'
import { quote, tick } from '../wording.ts'

/** A tool of the user's own, where its words match the question and its arguments can be filled from the text. */
export const anyTool: Skill = {
  id: 'any-tool',
  asks: (question, tools) => readToolOrder(question, tools) !== undefined || chooseCalls(question, tools).length > 0,
  *work(session: ToolSession): ReturnType<Skill['work']> {
    const ordered = readToolOrder(session.question, session.tools)
    if (typeof ordered?.args === 'string')
      return notFound(
        `I found no value for \`${ordered.args}\` of the tool \`${ordered.spec.id}\` in the first 8000 characters of the task; put it in quotation marks.`,
      )
    const choices = ordered ? [ordered] : chooseCalls(session.question, session.tools).slice(0, 2)
    const parts: Part[] = []
    const facts: Record<string, unknown> = {}
    for (const { spec, args } of choices) {
      if (typeof args === 'string') continue
      const outcome = yield* session.call(spec.id, args)
      if (!outcome.ok && ordered) {
        session.problems.clear()
        return notFound(`I got no result from the tool \`${spec.id}\`: ${outcome.reason}`)
      }
      if (!outcome.ok) continue
      const lines = outcome.text.split('\n')
      for (const [index, text] of lines.entries()) session.evidence.note(spec.id, index + 1, text)
      const shown = lines
        .map((text, index) => ({ text, line: index + 1 }))
        .filter(({ text }) => text.trim() !== '')
        .slice(0, 12)
      if (shown.length === 0) parts.push(note(`The tool ${tick(spec.id)} succeeded; it printed nothing.`))
      parts.push(
        heading(`${tick(spec.id)} says`),
        ...shown.map(({ text, line }) => claim(quote(text.trim(), 400), [at(spec.id, line)])),
      )
      facts.answer ??= outcome.text.trim()
      facts.result ??= outcome.text.trim()
      try {
        const value: unknown = JSON.parse(outcome.text)
        if (typeof value === 'object' && value !== null) Object.assign(facts, value)
      } catch {
        // a text, not JSON
      }
    }
    return { parts, facts, answered: parts.length > 0 }
  },
}

/** The call that "use <tool> on <argument>" orders; as arguments the name of the one that is missing. */
export function readToolOrder(
  { text }: Question,
  tools: OfferedTools,
): { spec: ToolSpec; args: object | string } | undefined {
  const order = readOrder(text)
  const spec = order && tools.others().find(({ id }) => id === order.tool)
  return spec && (order.argument !== '' || Object.keys(parametersOf(spec)).length === 0)
    ? { spec, args: readArguments(order, spec) }
    : undefined
}

interface Choice {
  readonly spec: ToolSpec
  readonly args: object
  readonly score: number
}

/** The tools whose words the question holds and whose required arguments it fills, the best first. */
function chooseCalls(question: Question, tools: OfferedTools): Choice[] {
  const choices: Choice[] = []
  for (const spec of tools.others()) {
    const score = matchScore(question, spec)
    const args = score > 0 ? fillArguments(question, spec) : undefined
    if (args) choices.push({ spec, args, score })
  }
  choices.sort((a, b) => b.score - a.score || (a.spec.id < b.spec.id ? -1 : 1))
  const best = choices[0]?.score ?? 0
  return choices.filter((choice) => choice.score >= best * 0.8)
}

/** A word of the id counts as much as two of the description; one of the id or two of the description are needed. */
function matchScore(question: Question, spec: ToolSpec): number {
  const id = new Set(toStems(spec.id.replace(/[_.-]/g, ' ').replace(/([a-z])([A-Z])/g, '$1 $2')))
  const description = new Set(toStems(spec.description.split('\n')[0] ?? ''))
  const inId = [...id].filter((stem) => question.stems.has(stem)).length
  const inDescription = [...description].filter((stem) => question.stems.has(stem) && !id.has(stem)).length
  const isNamed = question.text.includes(spec.id)
  if (!isNamed && containment(id, question.stems) < 0.5 && inDescription < 2) return 0
  if (!isNamed && inId === 0 && inDescription < 2) return 0
  return 2 * inId + inDescription + (isNamed ? 3 : 0)
}

/** Arguments from the text; undefined when a required one cannot be found. */
function fillArguments(question: Question, spec: ToolSpec): object | undefined {
  const properties = parametersOf(spec)
  const required = Array.isArray(spec.parameters.required) ? spec.parameters.required.map(String) : []
  const args: Record<string, unknown> = {}
  const taken = new Set<string>()
  for (const name of [...required, ...Object.keys(properties).filter((other) => !required.includes(other))]) {
    const value = fillOne(question, name, asRecord(properties[name]), taken)
    const isRequired = required.includes(name)
    if (value === undefined) {
      if (isRequired && asRecord(properties[name]).default === undefined) return undefined
      continue
    }
    if (
      !isRequired &&
      asRecord(properties[name]).enum === undefined &&
      typeof value === 'string' &&
      value === question.text
    )
      continue
    args[name] = value
    taken.add(String(value))
  }
  return args
}

const asRecord = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? { ...value } : {}

function fillOne(
  question: Question,
  name: string,
  schema: Record<string, unknown>,
  taken: ReadonlySet<string>,
): unknown {
  const words = new Set(
    [
      ...toWords(name.replace(/([a-z])([A-Z])/g, '$1 $2').replace(/_/g, ' ')),
      ...toWords(String(schema.description ?? '')),
    ].map(toStem),
  )
  const has = (...stems: string[]): boolean => stems.some((stem) => words.has(toStem(stem)))
  const free = (items: readonly string[]): string | undefined => items.find((item) => !taken.has(item))
  if (Array.isArray(schema.enum))
    return schema.enum.find((item) => typeof item === 'string' && question.words.includes(item.toLowerCase()))
  if (schema.type === 'number' || schema.type === 'integer') {
    const number = free(question.text.match(/(?<![\w.])-?\d+(?:\.\d+)?(?!\.*\w)/g) ?? [])
    return number === undefined || (schema.type === 'integer' && !/^-?\d+$/.test(number)) ? undefined : Number(number)
  }
  if (schema.type !== undefined && schema.type !== 'string') return undefined
  const labelled = new RegExp(
    `\\b${name.replace(/[^\w]/g, '.')}\\s*(?:(?:=|:|is)\\s*)?["'\`]([^"'\`]+)["'\`]|\\b${name.replace(/[^\w]/g, '.')}\\s*[=:]\\s*(\\S+)`,
    'i',
  ).exec(question.text)
  if (labelled) return (labelled[1] ?? labelled[2] ?? '').replace(/(?<![.,;?!])[.,;?!]+$/, '')
  if (has('url', 'uri', 'link')) return free(question.urls)
  if (has('date', 'day')) return free(question.text.match(/\b\d{4}-\d{2}-\d{2}\b/g) ?? [])
  if (has('email', 'mail')) return free(question.text.match(/[\w.+-]{1,100}@[\w-]{1,100}\.[\w.]+/g) ?? [])
  if (has('path', 'file', 'folder', 'directory')) return free(question.paths)
  if (has('expression', 'formula')) return readExpression(question.text)
  const quoted = free(question.quoted)
  if (quoted !== undefined) return quoted
  const code = has('currency', 'ticker', 'symbol', 'code', 'key', 'id', 'ticket')
    ? free(question.text.match(/\b[A-Z]{2,}(?:-?\d+)?\b/g) ?? [])
    : undefined
  if (code !== undefined) return code
  const place = free(namesIn(question.text))
  if (place !== undefined && !has('question', 'query', 'text', 'prompt', 'message', 'input')) return place
  if (has('question', 'query', 'text', 'prompt', 'message', 'input', 'search', 'content')) return question.text
  return place ?? free(afterPreposition(question.text))
}

/** Capitalised words that do not start the sentence: `New York` in "what is the weather in New York". */
function namesIn(text: string): string[] {
  const found = [
    ...text.matchAll(
      /(?:\b(?:in|at|for|of|to|from|about|on|with)\s+)((?:\p{Lu}[\p{L}\p{M}'’-]*)(?:\s+(?:(?:de|la|of|am|al)\s*)?\p{Lu}[\p{L}\p{M}'’-]*){0,3})/gu,
    ),
  ].map((match) => match[1] ?? '')
  const others = [...text.matchAll(/(?<=[\p{Ll},]\s)(\p{Lu}[\p{L}\p{M}'’-]+(?:\s+\p{Lu}[\p{L}\p{M}'’-]+){0,3})/gu)].map(
    (match) => match[1] ?? '',
  )
  return [...new Set([...found, ...others])]
}

function afterPreposition(text: string): string[] {
  return [...text.matchAll(/\b(?:in|at|for|of|from|about|on)\s+(?:the\s+)?([\p{L}\p{N}_-]+)(?=[\s?.,!]*$)/gu)]
    .map((match) => match[1] ?? '')
    .filter((word) => word.length > 1)
}
