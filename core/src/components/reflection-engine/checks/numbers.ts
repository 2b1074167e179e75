import type { Claim } from '../../../contracts/stages/claim.ts'
import type { Call } from '../../../text/calls/call.ts'
import { toSentences } from '../../../text/sentences.ts'
import { isAboutRead } from '../about-read.ts'
import { type Check, excerpt, type Finding, fail, NOT_APPLICABLE, pass } from '../check.ts'
import { mergeEqual } from '../claims/find-claims.ts'
import { evidenceOf } from '../claims/verify-statement.ts'
import { type Figure, toFigures, toValues } from '../figures/figures.ts'
import { findContradiction } from '../figures/find-contradiction.ts'
import { findUnfounded } from '../figures/find-unfounded.ts'
import type { Material } from '../material.ts'

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
  trust: 0.9,
  lesson: {
    trigger: 'an answer with numbers that tools returned',
    cause: '3.3',
    advice: 'Copy every number from the tool output that it comes from.',
  },
  look(material) {
    // Where no source holds a number, those of the answer come from elsewhere and cannot be compared.
    if (material.sawOther || !material.grounded) return NOT_APPLICABLE
    if (!/\d/.test(material.evidenceText) && material.mustBeGrounded) return NOT_APPLICABLE
    const figures = toFigures(material.prose).slice(0, MAX_FIGURES)
    const contradiction = findContradiction(material)
    if (contradiction !== undefined) return contradiction
    const open = findUnfounded(figures, material)
    if (open.length === 0) return figures.length === 0 ? NOT_APPLICABLE : pass()
    // Without the promise that everything was read, only a number that speaks of what a tool returned can be wrong.
    const texts = new Set(open.map(({ text }) => text))
    const wrong = material.mustBeGrounded ? open : open.filter((figure) => isAboutRead(figure, texts, material))
    if (wrong.length > 0) {
      // One odd number among many does not make the answer wrong.
      const isFew = wrong.length * 10 <= figures.length
      if (isFew && !material.mustBeGrounded) return NOT_APPLICABLE
      return { ...describe(wrong, material), critical: !isFew }
    }
    return open.length < figures.length ? pass() : NOT_APPLICABLE
  },
}

function describe(open: readonly Figure[], material: Material): Finding {
  const wrong = [...new Set(open.map(({ text }) => text))].slice(0, 5).join(', ')
  const nearest = nearestCalls(open, material)
  const returned = nearest
    .map(
      (call) => `${call.tool} returned ${excerpt(call.text, 160)} for ${excerpt(JSON.stringify(call.args) ?? '', 80)}`,
    )
    .join('; ')
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
  const evidence = `${wrong} occurs neither in the task nor in any tool output`
  return returned === ''
    ? { ...fail(evidence, `Take out ${wrong}, or say where it comes from.`), claims: mergeEqual(claims) }
    : {
        ...fail(`${evidence}; ${returned}`, `Do not say ${wrong}: ${returned}. Use what the tools returned.`),
        claims: mergeEqual(claims),
      }
}

/** The results that the wrong numbers were most likely meant to be: those with a close number that the answer does not hold. */
function nearestCalls(open: readonly Figure[], { done, prose }: Material): Call[] {
  const said = toValues(prose)
  const wrong = open.map(({ value }) => Math.abs(value))
  const distanceOf = (value: number): number =>
    Math.min(...wrong.map((other) => Math.abs(value - other) / (value + other + 1)))
  return done
    .map((call) => {
      const missing = [...toValues(call.text.slice(0, 20_000))].filter((value) => !said.has(value))
      return { call, distance: Math.min(...missing.map(distanceOf)) }
    })
    .filter(({ distance }) => Number.isFinite(distance))
    .sort((a, b) => a.distance - b.distance)
    .slice(0, 2)
    .map(({ call }) => call)
}
