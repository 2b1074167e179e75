import type { TestCounts } from '../evidence/test-runs.ts'
import { isTelling, toTokens } from '../evidence/tokens.ts'
import { words } from './language.ts'

/** Speaks of tests. */
export const TESTS = words(
  'tests?|pytest|jest|vitest|unittest|test[- ]?suites?|suites?|specs?|testf[aä]ll\\p{L}*|prüfung\\p{L}*',
  'テスト',
)
/** Says how they ended. */
export const PASSED = words(
  'pass(?:e|es|ed|ent|ing|é\\p{L}*)?|green|succe\\p{L}*|ok|fehlerfrei|bestanden|bestehen|grün|erfolgreich|durch(?=[.!,;]|$)|réuss\\p{L}*|verte?s?',
  '成功|合格|通[っりる]|パス|✅',
)
export const FAILED = words(
  'fail\\p{L}*|red|broken|errors?|fehlgeschlagen|scheiter\\p{L}*|gescheitert|fehlschl\\p{L}*|rot|échou\\p{L}*|échec\\p{L}*|rouge',
  '失敗|落ち|❌',
)
const SKIPPED = words('skipp?\\p{L}*|ignor\\p{L}*|übersprungen', 'スキップ')
/** Tells a good end by what there was not. */
export const NO_FAILURE =
  /(?<!\p{L})(?:0|no|without(?: an?| any)?|keine?|ohne|sans|aucune?)\s(?:more\s)?(?:fail\p{L}*|errors?|problems?|fehler|échecs?|erreurs?)(?!\p{L})/giu
/** Says that something was run. */
export const RAN = words('ran|run|executed|laufen|gelaufen|ausgeführt|lancé\\p{L}*|exécuté\\p{L}*', '実行')

/** "3 of 5", where the first has its state, and "5 tests" with no state. */
const OF = '\\s?(?:of|von|sur|/|out of)\\s?(?:the\\s|den\\s|les\\s)?'
const TOTAL = new RegExp(`\\d${OF}(\\d{1,6})|(\\d{1,6})\\s(?:tests?|specs?)(?=[,.:;]|$)`, 'iu')
/** A count before its state, within a few words. */
const COUNTED = Object.entries({ passed: PASSED, failed: FAILED, skipped: SKIPPED }).map(([state, { source }]) => ({
  state: state as keyof TestCounts,
  count: new RegExp(
    `(?<![\\w:#.,/-]|(?:lines?|zeilen?|lignes?|version|code)\\s)(\\d{1,6})(?:${OF}\\d{1,6})?(?![\\d.,:]*\\d|\\s?%)(?:[^\\s\\d.]{0,12}|(?:\\s[^\\s\\d.]{1,15}){0,4})\\s?(?:${source})`,
    'iu',
  ),
}))
const PARTS = /[,;、。](?!\d)|(?<!\p{L})(?:and|und|et|but|aber|mais)(?!\p{L})(?!\s(?:succe|pass|green))/iu

/** How many tests a text says ended how. */
export function toTold(text: string): [state: keyof TestCounts, count: number][] {
  const digits = text.replace(/\p{L}+/gu, (word) => {
    const [token = word] = toTokens(word)
    return /^\d+$/.test(token) ? token : word
  })
  const told = new Map<keyof TestCounts, number>()
  const add = (state: keyof TestCounts, count: string): unknown => told.has(state) || told.set(state, Number(count))
  for (const part of digits.split(PARTS)) {
    const total = TOTAL.exec(part)
    if (total !== null) add('total', total[1] ?? total[2] ?? '')
    for (const { state, count } of COUNTED) {
      const [, counted] = count.exec(part) ?? []
      if (counted !== undefined) add(state, counted)
    }
  }
  return [...told]
}

/** Whether a text says more than that tests passed: commands, and counts that were looked at, aside. */
export const saysMore = (text: string, counts: readonly string[] = []): boolean =>
  [TESTS, PASSED, FAILED, SKIPPED, RAN]
    .reduce((rest, { source }) => rest.replace(new RegExp(source, 'giu'), ' '), text.replace(/`[^`\n]{1,200}`/g, ' '))
    .split(/\s+/)
    .flatMap(toTokens)
    .some((token) => !isTelling(token) && !counts.includes(token))
