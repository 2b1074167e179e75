import { isAboutRead } from '../about-read.ts'
import { excerpt } from '../check.ts'
import { type Figure, toFigures, toValues } from '../figures/figures.ts'
import { findUnfounded } from '../figures/find-unfounded.ts'
import type { Call } from '../../../text/calls/call.ts'
import type { Material } from '../material.ts'
import { evidenceOf, type Rule } from './rule.ts'

const MAX_FIGURES = 400

/** Every number of the answer occurs in the task or in what a tool returned, or follows from such numbers. */
export const numbers: Rule = {
  id: 'numbers',
  trust: 0.9,
  lesson: {
    trigger: 'an answer with numbers that tools returned',
    cause: '3.3',
    advice: 'Copy every number from the tool output that it comes from.',
  },
  hint: 'Use what the tools returned, or say where the number comes from.',
  hold({ text }, material) {
    if (!/\d/.test(text)) return undefined
    const wrong = material.once('wrong-figures', () => findWrong(material)).filter(({ text: said }) => text.includes(said))
    if (wrong.length === 0) return undefined
    const nearest = nearestCalls(wrong, material)
    const told = [...new Set(wrong.map(({ text: said }) => said))].slice(0, 5).join(', ')
    const returned = nearest.map((call) => `${call.tool} returned ${excerpt(call.text, 160)}`).join('; ')
    return {
      verdict: 'contradicted',
      kind: 'figure',
      evidence: nearest.map(evidenceOf),
      why: `${told} occurs neither in the task nor in any tool output${returned === '' ? '' : `; ${returned}`}`,
    }
  },
}

function findWrong(material: Material): readonly Figure[] {
  // Where no source holds a number, those of the answer come from elsewhere and cannot be compared.
  if (material.sawOther || !material.grounded) return []
  if (!/\d/.test(material.evidenceText) && material.mustBeGrounded) return []
  const open = findUnfounded(toFigures(material.prose).slice(0, MAX_FIGURES), material)
  const texts = new Set(open.map(({ text }) => text))
  // Without the promise that everything was read, only a number that speaks of what a tool returned can be wrong.
  return material.mustBeGrounded ? open : open.filter((figure) => isAboutRead(figure, texts, material))
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
