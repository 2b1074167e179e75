import { findErrors } from '@svc/core/schema'
import { describeErrors, findJson } from '@svc/core/text'
import type { ScorerOptions } from '../design/experiment-schema.ts'
import { clip, type Scorer } from './scorer.ts'

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** 1 where the structured output, or the JSON in the answer's text, fits a schema. */
export function jsonSchema({ schema }: ScorerOptions['jsonSchema'] = {}): Scorer {
  const schemaOf = (expected: unknown): object | undefined => schema ?? (isObject(expected) ? expected : undefined)
  return {
    about: 'JSON Schema',
    check({ expected }) {
      const wanted = schemaOf(expected)
      if (wanted === undefined) return 'needs `expected`: a JSON Schema, or one for all tasks as the scorer’s `schema`'
      try {
        findErrors(wanted, null)
        return undefined
      } catch (thrown) {
        return `\`expected\` is no JSON Schema: ${(thrown as Error).message}`
      }
    },
    score({ expected, result: { output, summary } }) {
      const found = output === undefined ? findJson(summary) : { value: output }
      if ('error' in found) return { score: 0, evidence: clip(`no JSON: ${found.error}`) }
      const errors = findErrors(schemaOf(expected) ?? {}, found.value)
      if (errors.length === 0) return { score: 1, evidence: 'fits' }
      return { score: 0, evidence: clip(describeErrors(errors)) }
    },
  }
}
