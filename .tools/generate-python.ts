/**
 * Writes the types of the Python client from the schemas: frozen dataclasses for what the server answers, `TypedDict`s for
 * what it takes in, and the data of each type of event.
 *
 * Usage: npm run python:types
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as contracts from '@svc/core/schema'
import { EVENT_DATA, NAMED } from '../server/src/openapi/schemas.ts'
import { ROUTES } from '../server/src/routes/index.ts'
import type { Schema } from './reference/schema.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const HEADER = '# Made from the schemas of the server by `npm run python:types`. Do not edit.'

/** Shapes that no module exports, by the place where they stand. */
const PLACES: Readonly<Record<string, string>> = {
  'ReplayResult.firstDivergence': 'Divergence',
  'RunDiff.firstDivergence': 'DiffDivergence',
  'RunUsage.series': 'ModelCallUsage',
  'RunOptions.tools': 'ToolChoice',
  'AgentInput.budget': 'AgentLimits',
  'Run.waiting': 'Waiting',
  'Run.incomplete': 'Incomplete',
  'ExecutionResult.incomplete': 'Incomplete',
  'ExecutionResult.timing': 'Timing',
  'ExecutionResult.toolCalls': 'ToolCallCounts',
  'AgentProfile.memory': 'AgentMemory',
  'RunEvent.AgentCreated': 'AgentCreated',
}

/** Names that Python has already. */
const RENAMED: Readonly<Record<string, string>> = { Warning: 'RunWarning' }

const answerOf = (method: string, path: string): Schema => {
  const found = ROUTES.find((route) => route.method === method && route.path === path)
  if (found === undefined) throw new Error(`no route ${method} ${path}`)
  return found.answers[200] as Schema
}
const bodyOf = (method: string, path: string): Schema =>
  ROUTES.find((route) => route.method === method && route.path === path)?.body as Schema

const without = (schema: Schema, ...names: string[]): Schema => ({
  ...schema,
  properties: Object.fromEntries(Object.entries(schema.properties ?? {}).filter(([name]) => !names.includes(name))),
  required: (schema.required ?? []).filter((name) => !names.includes(name)),
})

const named = NAMED as unknown as Record<string, Schema>
const of = (name: string): Schema => {
  const schema = named[name] ?? (contracts as unknown as Record<string, Schema>)[name]
  if (schema === undefined) throw new Error(`no schema ${name}`)
  return schema
}

const ANSWERED = (
  'Run RunCosts RunSummary RunUsage RunTrace ExecutionResult PlanResult Approval Decision Thread ' +
  'ThreadMessage UndoResult AgentProfile MemoryRecord MemoryHit MemoryResult'
).split(' ')

/** What the server answers. What these hold comes with them. */
const ANSWERS: Record<string, Schema> = {
  ...Object.fromEntries(ANSWERED.map((name) => [name, of(name)])),
  Health: answerOf('GET', '/health'),
  ReplayResult: answerOf('POST', '/v1/runs/{id}/replay'),
  RunDiff: answerOf('GET', '/v1/runs/{a}/diff/{b}'),
}

/** What the server takes in, without what is an argument of its own. */
const INPUTS: Record<string, Schema> = {
  RunFilters: ROUTES.find(({ path }) => path === '/v1/runs-summary')?.query as unknown as Schema,
  RunOptions: of('RunOptions'),
  AgentInput: of('AgentInput'),
  MemoryOptions: without(of('MemoryWrite'), 'content'),
  MemoryChange: of('MemoryChange'),
  MemoryQueryOptions: without(of('MemoryQuery'), 'query'),
  ForkEdits: bodyOf('POST', '/v1/runs/{id}/fork').properties?.edits as Schema,
}

const textOf = (schema: Schema): string => JSON.stringify(schema)
/** An envelope whose data is typed. */
const withData = (schema: Schema): Schema => ({
  ...schema,
  properties: { ...schema.properties, data: { type: 'EventData' } },
})

const isObject = (schema: Schema): boolean => schema.type === 'object' && schema.properties !== undefined
const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1)
const singular = (word: string): string => (word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word)
const KEYWORDS = new Set(['from', 'in', 'is', 'not', 'or', 'and', 'as', 'class', 'def', 'import', 'None', 'raw'])
const toSnake = (name: string): string => {
  const snake = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
  return KEYWORDS.has(snake) ? `${snake}_` : snake
}

/** First sentences of the comments of exported schemas. */
const comments = new Map(
  ['core/src/contracts', 'server/src/runs', 'server/src/openapi'].flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .flatMap((file) => [
        ...readFileSync(join(root, folder, file), 'utf8').matchAll(
          /\/\*\* ([^*]+?) \*\/\nexport (?:const|interface) (\w+)/g,
        ),
      ])
      .map(([, comment = '', name = '']): [string, string] => [name, comment]),
  ),
)

/** Names and types of fields, without what is said about them. */
const shapeOf = (schema: Schema): string =>
  JSON.stringify(schema, (key, value: unknown) =>
    key === 'description' && typeof value === 'string' ? undefined : value,
  )
const shapes = new Map<string, string>()

class Module {
  readonly #text: string[] = []
  readonly #names = new Map<string, string>()
  readonly made: string[] = []
  readonly #isInput: boolean
  readonly #outer: Module | undefined

  constructor(schemas: Record<string, Schema>, options: { isInput?: boolean; outer?: Module } = {}) {
    this.#isInput = options.isInput ?? false
    this.#outer = options.outer
    const known = { ...(contracts as unknown as Record<string, Schema>), ...(this.#isInput ? {} : named), ...schemas }
    for (const [given, schema] of Object.entries(known)) {
      const name = RENAMED[given] ?? given
      if (typeof schema !== 'object' || schema === null) continue
      if (isObject(schema) || schema.enum !== undefined || schema.anyOf !== undefined) {
        if (name !== 'CostUsd' && name !== 'EventBody') this.#names.set(textOf(schema), name)
      }
    }
  }

  get text(): string {
    return this.#text.join('\n')
  }

  has(name: string): boolean {
    return this.made.includes(name) || (this.#outer?.has(name) ?? false)
  }

  /** The name of a schema that has one and was written. */
  nameOf(schema: Schema): string | undefined {
    const name = this.#names.get(textOf(schema))
    return name !== undefined && this.has(name) ? name : undefined
  }

  /** Writes a class, after those that it holds. */
  add(name: string, schema: Schema, about = comments.get(name)): string {
    const shape = shapeOf(schema)
    if (this.has(name)) {
      if (shapes.get(name) !== shape) throw new Error(`${name} stands for two shapes: name one of them in PLACES`)
      return name
    }
    shapes.set(name, shape)
    this.made.push(name)
    const fields = Object.entries(schema.properties ?? {}).map(([key, value]) => ({
      key,
      type: this.typeOf(value, name, key),
      isRequired: schema.required?.includes(key) ?? false,
      description: value.description,
    }))
    const ordered = [
      ...fields.filter(({ isRequired }) => isRequired),
      ...fields.filter(({ isRequired }) => !isRequired),
    ]
    const note = (field: (typeof fields)[number]): string[] =>
      field.description ? wrapDoc(toWords(capital(field.description))) : []
    const doc = `    """${about ?? ABOUT[name]}"""`
    if (this.#isInput) this.#writeInput(name, doc, ordered, note)
    else {
      this.#text.push('', '', '@dataclass(frozen=True)', `class ${name}(Answer):`, doc, '')
      for (const field of ordered) {
        const type = field.isRequired ? field.type : toOptional(field.type)
        this.#text.push(`    ${toSnake(field.key)}: ${type}${field.isRequired ? '' : ' = None'}`, ...note(field))
      }
      if (ordered.length === 0) this.#text.pop() // the docstring is all there is
    }
    return name
  }

  #writeInput(
    name: string,
    doc: string,
    fields: { key: string; type: string; isRequired: boolean; description: string | undefined }[],
    note: (field: { key: string; type: string; isRequired: boolean; description: string | undefined }) => string[],
  ): void {
    const line = (field: (typeof fields)[number]): string[] => [
      `    ${toSnake(field.key)}: ${field.type}`,
      ...note(field),
    ]
    const required = fields.filter(({ isRequired }) => isRequired)
    const rest = fields.filter(({ isRequired }) => !isRequired)
    const options = required.length === 0 ? name : name.replace(/Input$/, 'Options')
    const about = required.length === 0 ? doc : `    """${ABOUT[options]}"""`
    this.#text.push('', '', `class ${options}(TypedDict, total=False):`, about, '', ...rest.flatMap(line))
    if (required.length === 0) return
    this.made.push(options)
    this.#text.push('', '', `class ${name}(${options}):`, doc, '', ...required.flatMap(line))
  }

  typeOf(schema: Schema, owner: string, key: string, isItem = false): string {
    const known = this.#names.get(textOf(schema))
    // What is taken in is written by hand as a dictionary, and read as one.
    if (!this.#isInput && known !== undefined && known in INPUTS) return 'dict[str, Any]'
    if (schema.enum !== undefined) {
      const literal = `Literal[${schema.enum.map((word) => JSON.stringify(word)).join(', ')}]`
      return known === undefined ? literal : this.#alias(known, literal)
    }
    if (schema.const !== undefined) return `Literal[${JSON.stringify(schema.const)}]`
    if (schema.anyOf !== undefined) {
      if (schema.anyOf.every((each) => isObject(each)) && schema.anyOf[0]?.properties?.type?.const !== undefined) {
        return 'dict[str, Any]' // told apart by a word: plain data says it best
      }
      const types = schema.anyOf.map((each) => (each.type === 'null' ? 'None' : this.typeOf(each, owner, key)))
      const rest = types.filter((type) => type !== 'None')
      const union = rest.length === 1 ? `${rest[0]}` : `Union[${rest.join(', ')}]`
      return types.includes('None') ? toOptional(union) : union
    }
    if (schema.type === 'array') {
      const item = this.typeOf(schema.items ?? {}, owner, key, true)
      return this.#isInput ? `Sequence[${item}]` : `tuple[${item}, ...]`
    }
    if (isObject(schema)) {
      const words = Object.values(schema.properties ?? {})
      if (
        words.every(({ type }) => type === 'number') &&
        /^[A-Z]+$/.test(Object.keys(schema.properties ?? {})[0] ?? '')
      ) {
        return 'dict[str, float]'
      }
      if (Object.keys(schema.properties ?? {}).length === 0) return 'dict[str, Any]'
      const name = known ?? PLACES[`${owner}.${key}`] ?? `${owner}${capital(isItem ? singular(key) : key)}`
      this.#names.set(textOf(schema), name)
      return this.add(name, schema, comments.get(name) ?? ABOUT[name] ?? `In \`${owner}.${toSnake(key)}\`.`)
    }
    if (schema.type === 'object') {
      const [value] = Object.values(schema.patternProperties ?? {})
      const map = this.#isInput ? 'Mapping' : 'dict'
      return `${map}[str, ${value === undefined ? 'Any' : this.typeOf(value, owner, key)}]`
    }
    return (
      { EventData: 'EventData', string: 'str', integer: 'int', number: 'float', boolean: 'bool', null: 'None' }[
        schema.type ?? ''
      ] ?? 'Any'
    )
  }

  #alias(name: string, literal: string): string {
    if (this.has(name)) return name
    this.made.push(name)
    this.#text.push('', '', `${name} = ${literal}`, `"""${comments.get(name) ?? ''}"""`)
    return name
  }
}

const toOptional = (type: string): string =>
  type === 'Any' || type.startsWith('Optional[') ? type : `Optional[${type}]`

function wrapDoc(text: string): string[] {
  const words = `${text.trim().replace(/\.$/, '')}.`.split(' ')
  const lines: string[] = ['']
  for (const word of words) {
    const last = lines.length - 1
    if (`${lines[last]} ${word}`.length > 88) lines.push(word)
    else lines[last] = `${lines[last]} ${word}`.trim()
  }
  const [first = '', ...rest] = lines
  const end = rest.length === 0 ? '"""' : ''
  return [`    """${first}${end}`, ...rest.map((line, i) => `    ${line}${i === rest.length - 1 ? '"""' : ''}`)]
}

/** Names of fields whose values are the caller's own: their keys stay as they are. */
function freeForm(schemas: readonly Schema[], found = new Set<string>()): Set<string> {
  for (const schema of schemas) {
    for (const [key, value] of Object.entries(schema.properties ?? {})) {
      const isFree =
        value.patternProperties !== undefined ||
        (value.type === 'object' && value.properties === undefined) ||
        (value.type === undefined && value.enum === undefined && value.anyOf === undefined && value.const === undefined)
      if (isFree && key !== 'plan') found.add(toSnake(key))
      freeForm(
        [value, ...(value.items ? [value.items] : []), ...(value.anyOf ?? []), ...(value.items?.anyOf ?? [])],
        found,
      )
    }
  }
  return found
}

/** Names as Python writes them. */
const toWords = (text: string): string =>
  text.replace(/`([a-z]+[A-Z]\w*)`/g, (_, name: string) => `\`${toSnake(name)}\``).replace('null', 'None')

const listOf = (names: readonly string[]): string =>
  `__all__ = [\n${[...names]
    .sort()
    .map((name) => `    "${name}",`)
    .join('\n')}\n]`

/** The files by their paths in the repository. */
export function generatePython(): Record<string, string> {
  shapes.clear()
  const answers = new Module(ANSWERS)
  for (const [name, schema] of Object.entries(ANSWERS)) answers.add(name, schema)
  const events = new Module(ANSWERS, { outer: answers })
  const byType: [string, string][] = []
  for (const [type, data] of Object.entries(EVENT_DATA as unknown as Record<string, Schema>)) {
    const own = type.split('.').map(capital).join('')
    const name = events.nameOf(data) ?? (data.anyOf ? undefined : events.add(own, data, `Data of \`${type}\`.`))
    byType.push([type, name ?? events.typeOf(data, 'RunEvent', own)])
  }
  const envelope = new Module({}, { outer: answers })
  envelope.add(
    'RunEvent',
    withData(of('EventEnvelope')),
    'Something that happened in a run; `type` says what `data` is.',
  )
  const inputs = new Module(INPUTS, { isInput: true, outer: answers })
  for (const [name, schema] of Object.entries(INPUTS)) inputs.add(name, schema, comments.get(name) ?? ABOUT[name])
  const free = [...freeForm([...Object.values(INPUTS), of('Decision'), of('Plan')])].sort()
  const used = [...answers.made].filter((name) => new RegExp(`\\b${name}\\b`).test(events.text + byType.join(' ')))
  const classes = [...new Set(byType.map(([, name]) => name))]
  return {
    'python/src/svc/types.py': [
      HEADER,
      '"""What the server answers, and what it takes in."""',
      '',
      'from __future__ import annotations',
      '',
      'from dataclasses import dataclass',
      'from typing import Any, Literal, Mapping, Optional, Sequence, TypedDict, Union',
      '',
      'from svc._codec import Answer',
      '',
      listOf([...answers.made, ...inputs.made]),
      answers.text,
      inputs.text,
      '',
      '',
      `FREE_FORM = frozenset(`,
      `    (${free.map((name) => `"${name}"`).join(', ')})`,
      ')',
      '"""Fields whose values are the caller\'s own: their keys are sent as they are."""',
      '',
    ].join('\n'),
    'python/src/svc/events.py': [
      HEADER,
      '"""What each type of event carries."""',
      '',
      'from __future__ import annotations',
      '',
      'from dataclasses import dataclass',
      'from typing import Any, Literal, Mapping, Optional, Union',
      '',
      'from svc._codec import Answer',
      `from svc.types import (\n${used
        .sort()
        .map((name) => `    ${name},`)
        .join('\n')}\n)`,
      '',
      listOf([...events.made, 'EVENT_DATA', 'EventData', 'RunEvent']),
      events.text,
      '',
      '',
      'EVENT_DATA: Mapping[str, Any] = {',
      ...byType.map(([type, name]) => `    "${type}": ${name},`),
      '}',
      '"""The class of the data of each type of event."""',
      '',
      'EventData = Union[',
      ...classes.map((name) => `    ${name},`),
      '    Mapping[str, Any],',
      ']',
      '"""The data of an event; of a type that this version does not know, plain data."""',
      envelope.text,
      '',
    ].join('\n'),
  }
}

const ABOUT: Readonly<Record<string, string>> = {
  AgentOptions: 'A kind of agent as a person writes it, without its name.',
  MemoryOptions: 'How something is remembered.',
  MemoryQueryOptions: 'What a question to the memory is limited by.',
  ForkEdits: 'What a fork changes.',
  RunWarning: 'Something a person should know about a result that is otherwise usable.',
  RunTrace: 'The spans of a run.',
  AgentCreated: 'Data of `agent.created`, of an agent without a profile.',
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, text] of Object.entries(generatePython())) writeFileSync(join(root, path), text)
}
