import { toVisible } from '@svc/core/client'
import { type AuditLine, chooseAuditDir, personalAuditDir, readAuditLog, spaceOf } from '@svc/plugins'
import type { CommandContext } from '../frame/context.ts'
import { toMs } from '../input/read-time.ts'
import { invalid } from '../line/wrong.ts'
import { renderTable } from '../render/table.ts'
import { toLocalTime } from '../render/time.ts'

/** Fields that have a column of their own. */
const COLUMNS: readonly string[] = ['time', 'what', 'who', 'from', 'folder', 'pid']

/** `svc audit`: who decided what, when and from where, the newest last. */
export default async function audit(context: CommandContext): Promise<number> {
  const { flags, io } = context
  const { own } = flags
  const since = toTime(own.text('since'))
  const [who = '', what = '', limit = 100] = [own.text('who'), own.text('what'), own.count('limit', 1, 100_000) ?? 100]
  const loaded = await context.load()
  const space = spaceOf(loaded)
  const places = [chooseAuditDir(true, loaded, io.env), personalAuditDir(loaded.workspace, io.env)]
  const isAll = own.is('all')
  const entries: AuditLine[] = []
  let damaged = 0
  for (const dir of new Set(places.filter((place) => place !== undefined))) {
    for await (const entry of readAuditLog(dir)) {
      if (entry === undefined) damaged++
      else if (isMeant(entry)) entries.push(entry)
    }
  }
  function isMeant(entry: AuditLine): boolean {
    const isHere = isAll || entry.folder === undefined || entry.folder === space
    return isHere && entry.time >= since && entry.who.includes(who) && isAction(entry.what, what)
  }
  entries.sort((a, b) => (a.time < b.time ? -1 : a.time > b.time ? 1 : 0))
  const shown = entries.slice(-limit)
  context.print({ data: shown, damaged }, (columns) => (shown.length === 0 ? '' : render(shown, isAll, columns)))
  if (shown.length === 0) io.err('svc: nobody has decided anything of the kind\n')
  else if (shown.length < entries.length)
    io.err(`svc: there are ${entries.length - shown.length} older ones: --limit\n`)
  if (damaged > 0) io.err(`${io.paint.yellow('svc:')} lines that were cut or changed, and are not shown: ${damaged}\n`)
  return 0
}

/** From when on, as an ISO string, which sorts as time does. */
function toTime(text: string | undefined): string {
  if (text === undefined) return ''
  const ago = toMs(text)
  const time = ago === undefined && /^\d{4}-\d\d/.test(text) ? Date.parse(text) : Date.now() - (ago ?? Number.NaN)
  if (!Number.isNaN(time)) return new Date(time).toISOString()
  throw invalid(
    'since',
    `must be a date such as 2026-11-28, or a time ago such as 7d or 12h, not "${text.slice(0, 80)}"`,
  )
}

const isAction = (action: string, asked: string): boolean =>
  asked === '' || action === asked || action.startsWith(`${asked}.`)

const render = (entries: readonly AuditLine[], isAll: boolean, columns: number): string =>
  renderTable(
    ['time', 'what', 'who', 'from', ...(isAll ? ['folder'] : []), 'about'],
    entries.map((entry) => [
      toLocalTime(entry.time),
      toVisible(entry.what),
      toVisible(entry.who),
      toVisible(entry.from),
      ...(isAll ? [toVisible(entry.folder ?? '')] : []),
      about(entry),
    ]),
    columns,
  )

/** What else stands in an entry. */
const about = (entry: AuditLine): string =>
  Object.entries(entry)
    .filter(([name, value]) => !COLUMNS.includes(name) && value !== undefined)
    .map(([name, value]) => `${name} ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ')
