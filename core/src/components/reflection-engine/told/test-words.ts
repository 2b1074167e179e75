import type { Outcome } from '../evidence/test-runs.ts'
import { toTokens } from '../evidence/tokens.ts'

const either = (list: string, signs: string): string => `(?:(?<![\\p{L}\\d_])(?:${list})(?![\\p{L}\\d_])|${signs})`
/** Speaks of tests. */
export const TESTS = new RegExp(
  either(
    'tests?|pytest|jest|vitest|unittest|test[- ]?suites?|suites?|specs?|testf[aä]ll\\p{L}*|prüfung\\p{L}*',
    'テスト',
  ),
  'iu',
)
const STATES: readonly (readonly [state: Outcome, said: string])[] = [
  [
    'passed',
    either(
      'pass(?:e|es|ed|ent|ing|é\\p{L}*)?|green|succe\\p{L}*|ok|fehlerfrei|bestanden|bestehen|grün|erfolgreich|durch(?=[.!,;]|$)|réuss\\p{L}*|verte?s?',
      '成功|合格|通[っりる]|パス|✅',
    ),
  ],
  [
    'failed',
    either(
      'fail\\p{L}*|red|broken|errors?|fehlgeschlagen|scheiter\\p{L}*|gescheitert|fehlschl\\p{L}*|rot|échou\\p{L}*|échec\\p{L}*|rouge',
      '失敗|落ち|❌',
    ),
  ],
  ['skipped', either('skipp?\\p{L}*|ignor\\p{L}*|übersprungen', 'スキップ')],
]
/** Says how they ended, and how not. */
export const [PASSED = /$^/u, FAILED = /$^/u] = STATES.map(([, said]) => new RegExp(said, 'iu'))
export const NOT = /(?<![\p{L}])(?:not|never|nicht|pas)(?![\p{L}])|n['’]t\b/iu
/** Speaks of the time after the work. */
export const AFTER =
  /(?<!\p{L})(?:after|afterwards|now|then|danach|jetzt|nun|nach|après|maintenant|désormais)(?!\p{L})|後/iu
/** Tells a good end by what there was not. */
export const NO_FAILURE =
  /(?<!\p{L})(?:0|no|without(?: an?| any)?|keine?|ohne|sans|aucune?)\s(?:more\s)?(?:fail\p{L}*|errors?|problems?|fehler|échecs?|erreurs?)(?!\p{L})/giu
/** Says that something was run. */
export const RAN =
  /(?<![\p{L}])(?:ran|run|executed|laufen|gelaufen|ausgeführt|lancé\p{L}*|exécuté\p{L}*)(?![\p{L}])|実行/iu

const COUNT = '(\\d{1,6})'
const OF = new RegExp(`${COUNT}\\s?(?:of|von|sur|/|out of)\\s?(?:the\\s|den\\s|les\\s)?${COUNT}`, 'iu')
const TOTAL = new RegExp(`${COUNT}\\s(?:tests?|specs?)(?=[,.:;]|$)`, 'iu')

const COUNTED = STATES.map(
  ([state, said]) =>
    [
      state,
      new RegExp(
        `(?<![\\w:#.,/-])(?<!(?:lines?|zeilen?|lignes?|version|code)\\s)${COUNT}(?:\\s?(?:of|von|sur|/|out of)\\s?(?:the\\s|den\\s|les\\s)?\\d{1,6})?(?![\\d.]{0,12}[.,:]?\\d)(?!\\s?%)(?:[^\\s\\d.]{0,12}|(?:\\s[^\\s\\d.]{1,15}){0,4})\\s?${said}|${said}:\\s{0,2}${COUNT}(?=\\s{0,3}(?:[,;.|)]|$))`,
        'iu',
      ),
    ] as const,
)

export type Counts = Partial<Record<Outcome | 'total', number>>

/** How many tests a text says ended how. */
export function toCounts(text: string): Counts {
  const digits = text.replace(/\p{L}+/gu, (word) => {
    const [token = word] = toTokens(word)
    return /^\d+$/.test(token) ? token : /^(?:both|beiden?|deux)$/i.test(word) ? '2' : word
  })
  const counts: Counts = {}
  const parts = digits.split(
    /[,;、。](?!\d)|(?<!\p{L})(?:and|und|et|but|aber|mais)(?!\p{L})(?!\s(?:succe|pass|green))/iu,
  )
  for (const part of parts) {
    const of = OF.exec(part)
    const total = of?.[2] ?? TOTAL.exec(part)?.[1]
    if (total !== undefined && (of === null || counts.total === undefined)) counts.total = Number(total)
    for (const [state, pattern] of COUNTED) {
      const found = pattern.exec(part)
      const count = found?.[1] ?? found?.[2]
      if (found === null || count === undefined) continue
      const meant = state === 'passed' && NOT.test(found[0]) ? 'failed' : state
      counts[meant] ??= Number(count)
    }
  }
  return counts
}
