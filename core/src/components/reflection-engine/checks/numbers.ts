import type { Claim } from '../../../contracts/claim.ts'
import { isAboutRead } from '../about-read.ts'
import type { Call } from '../calls.ts'
import { type Check, excerpt, type Finding, NOT_APPLICABLE, pass } from '../check.ts'
import { mergeEqual } from '../claims/find-claims.ts'
import { evidenceOf } from '../claims/hold-statement.ts'
import { type Figure, toFigures, toValues } from '../figures.ts'
import { unfounded } from '../founded-figures.ts'
import type { Material } from '../material.ts'
import { contradictions } from '../settled-figures.ts'
import { toSentences } from '../shape.ts'

const MAX_FIGURES = 400

/**
 * Every number of the answer occurs in the task or in what a tool returned, or follows from such numbers.
 *
 * It follows when it is the same at the written precision or in another unit, when it counts what can be counted again,
 * or when its own sentence or list holds the numbers it is the sum, difference, product, ratio or mean of, or cites the rows
 * whose sum or mean it is.
 */
export const numbers: Check = {
  id: 'numbers',
  critical: true,
  needs: ['digits'],
  trust: 0.9,
  lesson: {
    trigger: 'an answer with numbers that tools returned',
    cause: '3.3',
    advice: 'Copy every number from the tool output that it comes from.',
  },
  look(material) {
    // Where no source holds a number, those of the answer come from elsewhere and cannot be compared.
    if (material.sawOther || !material.grounded) return NOT_APPLICABLE
    if (material.mustBeGrounded && !/\d/.test(material.evidenceText)) return NOT_APPLICABLE
    const figures = toFigures(material.prose).slice(0, MAX_FIGURES)
    const other = contradictions(material)
    if (figures.length === 0 && other.length === 0) return NOT_APPLICABLE
    const open = figures.length === 0 ? [] : unfounded(figures, material)
    // Without the promise that everything was read, only a number that speaks of what a tool returned can be wrong.
    const texts = new Set(open.map(({ text }) => text))
    const wrong = material.mustBeGrounded ? open : open.filter((figure) => isAboutRead(figure, texts, material))
    if (other.length > 0) return other[0] ?? NOT_APPLICABLE
    if (wrong.length > 0) return describe(wrong, figures.length, material)
    return open.length < figures.length ? pass() : NOT_APPLICABLE
  },
}

function describe(open: readonly Figure[], total: number, material: Material): Finding {
  const wrong = [...new Set(open.map(({ text }) => text))].slice(0, 5).join(', ')
  const nearest = nearestCalls(open, material)
  const returned = nearest
    .map(
      (call) => `${call.tool} returned ${excerpt(call.text, 160)} for ${excerpt(JSON.stringify(call.args) ?? '', 80)}`,
    )
    .join('; ')
  const isFew = open.length * 10 <= total
  // One odd number among many does not make the answer wrong.
  if (isFew && !material.mustBeGrounded) return NOT_APPLICABLE
  const texts = new Set(open.map(({ text }) => text))
  const sentences = toSentences(material.prose)
  const claims = open.map(
    (figure): Claim => ({
      text: excerpt(sentences.find((sentence) => sentence.includes(figure.text)) ?? figure.text, 200),
      kind: 'figure',
      verdict: isAboutRead(figure, texts, material) ? 'contradicted' : 'unsupported',
      evidence: nearest.map(evidenceOf),
    }),
  )
  return {
    result: 'fail',
    claims: mergeEqual(claims),
    evidence: `${wrong} occurs neither in the task nor in any tool output${returned === '' ? '' : `; ${returned}`}`,
    hint:
      returned === ''
        ? `Take out ${wrong}, or say where it comes from.`
        : `Do not say ${wrong}: ${returned}. Use what the tools returned.`,
    critical: !isFew,
  }
}

/** The results that the wrong numbers were most likely meant to be: bare numbers that the answer does not hold come first. */
function nearestCalls(open: readonly Figure[], { calls, prose }: Material): Call[] {
  const said = toValues(prose)
  const wrong = open.map(({ value }) => Math.abs(value))
  return calls
    .filter((call) => call.status === 'completed')
    .map((call) => {
      const missing = [...toValues(call.text.slice(0, 20_000))].filter((value) => !said.has(value))
      const distance = Math.min(
        ...missing.map((value) => Math.min(...wrong.map((other) => Math.abs(value - other) / (value + other + 1)))),
      )
      return {
        call,
        rank: missing.length === 0 ? Number.POSITIVE_INFINITY : distance + Math.min(1, call.text.length / 2000),
      }
    })
    .filter(({ rank }) => Number.isFinite(rank))
    .sort((a, b) => a.rank - b.rank)
    .slice(0, 2)
    .map(({ call }) => call)
}
