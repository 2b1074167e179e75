import type { Call } from './calls.ts'
import type { Finding } from './check.ts'
import { evidenceOf } from './claims/hold-statement.ts'
import type { Material } from './material.ts'

const VERSION = /\bversion(?: number)?(?: is| of|:| =| in use is)* v?(\d{1,6}\.\d{1,6}(?:\.\d{1,6})?)/i
const KNOWN_VERSION = /\bversion"?(?: is|:| =)? ?"?[v^~]?(\d{1,6}\.\d{1,6}(?:\.\d{1,6})?)/i
const EXIT = /\bexit(?:ed)?(?: with)?(?: code| status)(?: of| was| is|:)? (\d{1,3})\b/i

/** Versions and exit codes are numbers of which one tool result settles which is right. */
export function contradictions(material: Material): readonly Finding[] {
  const { prose, done } = material
  const { sourceText } = material
  const found: Finding[] = []
  const said = VERSION.exec(prose)?.[1]
  const call =
    said === undefined || sourceText.includes(said) ? undefined : done.find(({ text }) => KNOWN_VERSION.test(text))
  if (said !== undefined && call !== undefined)
    found.push(toContradiction(said, call, `version ${KNOWN_VERSION.exec(call.text)?.[1]}`))
  const code = EXIT.exec(prose)?.[1]
  const codes = done.filter(({ exitCode }) => exitCode !== undefined)
  const last = codes.at(-1)
  if (
    code !== undefined &&
    last !== undefined &&
    !codes.some(({ exitCode }) => exitCode === Number(code)) &&
    !sourceText.includes(`code ${code}`)
  )
    found.push(toContradiction(`exit code ${code}`, last, `exit code ${last.exitCode}`))
  return found
}

function toContradiction(said: string, call: Call, right: string): Finding {
  return {
    result: 'fail',
    evidence: `${said}, but ${call.tool} returned ${right}`,
    hint: `Do not say ${said}: ${call.tool} returned ${right}.`,
    claims: [{ text: said, kind: 'figure', verdict: 'contradicted', evidence: [evidenceOf(call)] }],
  }
}
