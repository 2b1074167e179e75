import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { JsonSchema } from '@svc/core'
import { findErrors } from '@svc/core/schema'

export interface CaseCall {
  readonly tool: string
  readonly args: Readonly<Record<string, unknown>>
}

/** A part of a team's work: one step of the plan. */
export interface CaseAgent {
  readonly objective: string
  readonly calls: readonly CaseCall[]
  readonly answer: string
}

/** What an agent did, and an answer that is true or false. Nobody who worded one had read the rules that judge it. */
export interface TruthCase {
  readonly id: string
  readonly family: string
  readonly language: string
  readonly true: boolean
  /** Of a false one: whether the run's log shows that it is. */
  readonly decidable?: boolean
  /** Of a false one: what of the answer is false, word for word. */
  readonly wrong?: string | readonly string[]
  readonly task: string
  readonly files?: Readonly<Record<string, string>>
  readonly git?: boolean
  /** What the web answers at `{web}/path`. */
  readonly web?: Readonly<Record<string, { status?: number; type?: string; body: string }>>
  /** Tools of the user: each call is answered by the next of `results`, the last one again and again. */
  readonly tools?: readonly {
    readonly name: string
    readonly description?: string
    readonly risk?: 'read' | 'write' | 'network' | 'execute'
    readonly parameters?: Readonly<Record<string, unknown>>
    readonly results: readonly unknown[]
  }[]
  readonly calls?: readonly CaseCall[]
  readonly agents?: readonly CaseAgent[]
  readonly topology?: 'PARALLEL' | 'SEQUENTIAL'
  readonly deny?: readonly string[]
  readonly answer: string
  readonly outputSchema?: JsonSchema
}

const text = { type: 'string', minLength: 1 }
const calls = {
  type: 'array',
  items: {
    type: 'object',
    required: ['tool', 'args'],
    properties: { tool: text, args: { type: 'object' } },
    additionalProperties: false,
  },
}
const named = (value: object): object => ({ type: 'object', additionalProperties: value })
const SCHEMA = {
  type: 'array',
  items: {
    type: 'object',
    required: ['id', 'family', 'language', 'true', 'task', 'answer'],
    properties: {
      id: text,
      family: text,
      language: { enum: ['en', 'de', 'fr', 'ja'] },
      true: { type: 'boolean' },
      decidable: { type: 'boolean' },
      wrong: { anyOf: [text, { type: 'array', items: text, minItems: 1 }] },
      task: text,
      files: named({ type: 'string' }),
      git: { type: 'boolean' },
      web: named({
        type: 'object',
        required: ['body'],
        properties: { status: { type: 'integer' }, type: text, body: { type: 'string' } },
        additionalProperties: false,
      }),
      tools: {
        type: 'array',
        items: {
          type: 'object',
          required: ['name', 'results'],
          properties: {
            name: text,
            description: text,
            risk: { enum: ['read', 'write', 'network', 'execute'] },
            parameters: { type: 'object' },
            results: { type: 'array', minItems: 1 },
          },
          additionalProperties: false,
        },
      },
      calls,
      agents: {
        type: 'array',
        minItems: 1,
        items: {
          type: 'object',
          required: ['objective', 'calls', 'answer'],
          properties: { objective: text, calls, answer: text },
          additionalProperties: false,
        },
      },
      topology: { enum: ['PARALLEL', 'SEQUENTIAL'] },
      deny: { type: 'array', items: text },
      answer: text,
      outputSchema: { type: 'object' },
    },
    additionalProperties: false,
  },
}

/** What is wrong with the cases of a file, in lines for a person. */
export function findFaults(cases: unknown): string[] {
  const faults = findErrors(SCHEMA, cases).map(({ path, message }) => `${path} ${message}`)
  if (faults.length > 0) return faults
  const seen = new Set<string>()
  for (const one of cases as TruthCase[]) {
    if (seen.has(one.id)) faults.push(`${one.id}: is there twice`)
    seen.add(one.id)
    const wrong = [one.wrong ?? []].flat()
    if (one.true && (wrong.length > 0 || one.decidable !== undefined))
      faults.push(`${one.id}: true, with what is wrong`)
    if (!one.true && (wrong.length === 0 || one.decidable === undefined))
      faults.push(`${one.id}: false, without "wrong" or "decidable"`)
    for (const part of wrong)
      if (!one.answer.includes(part)) faults.push(`${one.id}: the answer does not hold ${JSON.stringify(part)}`)
    if ((one.agents === undefined) !== (one.topology === undefined))
      faults.push(`${one.id}: agents and topology come together`)
  }
  return faults
}

/** The cases of a folder. */
export function readCases(folder: string): TruthCase[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .flatMap((name) => {
      const cases: unknown = JSON.parse(readFileSync(join(folder, name), 'utf8'))
      const [fault] = findFaults(cases)
      if (fault !== undefined) throw new Error(`${name}: ${fault}`)
      return cases as TruthCase[]
    })
}
