import type { Call } from '../../../text/calls/call.ts'
import { type Finding, fail } from '../check.ts'
import { evidenceOf } from '../claims/verify-statement.ts'
import type { Material } from '../material.ts'

const VERSION = /\bversion(?: number)?(?: is| of|:| =| in use is)* v?(\d{1,6}\.\d{1,6}(?:\.\d{1,6})?)/i
const KNOWN_VERSION = /\bversion"?(?: is|:| =)? ?"?[v^~]?(\d{1,6}\.\d{1,6}(?:\.\d{1,6})?)/i
const EXIT = /\bexit(?:ed)?(?: with)?(?: code| status)(?: of| was| is|:)? (\d{1,3})\b/i

/** Versions and exit codes are numbers of which one tool result settles which is right. */
export function findContradiction({ prose, done, sourceText }: Material): Finding | undefined {
  const said = VERSION.exec(prose)?.[1]
  const call = done.find(({ text }) => KNOWN_VERSION.test(text))
  if (said !== undefined && call !== undefined && !sourceText.includes(said))
    return toContradiction(said, call, `version ${KNOWN_VERSION.exec(call.text)?.[1]}`)
  const code = EXIT.exec(prose)?.[1]
  const ran = done.filter(({ exitCode }) => exitCode !== undefined)
  const last = ran.at(-1)
  const isKnown = ran.some(({ exitCode }) => exitCode === Number(code)) || sourceText.includes(`code ${code}`)
  if (code === undefined || last === undefined || isKnown) return undefined
  return toContradiction(`exit code ${code}`, last, `exit code ${last.exitCode}`)
}

function toContradiction(said: string, call: Call, right: string): Finding {
  const claim = { text: said, kind: 'figure' as const, verdict: 'contradicted' as const, evidence: [evidenceOf(call)] }
  const evidence = `${said}, but ${call.tool} returned ${right}`
  return { ...fail(evidence, `Do not say ${said}: ${call.tool} returned ${right}.`), claims: [claim] }
}
