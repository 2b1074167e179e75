import { useSignal } from '@preact/signals'
import { useMemo, useRef } from 'preact/hooks'
import { lazy, useLocation } from 'preact-iso'
import { Choice } from '../parts/choice.tsx'
import { ErrorNote } from '../parts/error-note.tsx'
import { formatCost, formatCount, formatShort, plural } from '../parts/format.ts'
import { Stat } from '../parts/stat.tsx'
import { useViewTitle } from '../parts/view-title.ts'
import { serverNow } from '../session/clock.ts'
import { mayDo } from '../session/session.ts'
import { useLoad } from '../session/use-load.ts'
import { CostTable } from './cost-table.tsx'
import { addressOf, type CostView, GROUPS, type Measure, PERIODS, periodsOf, queryOf, readView } from './cost-view.ts'
import { measureOf, type Series, sumOf, toSeries } from './series.ts'
import './costs.css'

// The library that draws is as large as all else of the page.
const Chart = lazy(() => import('./chart.tsx'))

const EVERY_MS = 60_000
const RANGE_CHOICES = [
  ['7', '7 days'],
  ['30', '30 days'],
  ['90', '90 days'],
  ['365', 'a year'],
] as const
const MEASURE_CHOICES = [
  ['cost', 'costs'],
  ['tokens', 'tokens'],
] as const
const FOLDER_CHOICES = [
  ['', 'this one'],
  ['all', 'all'],
] as const
const PER_NAMES = { day: 'Day', week: 'Week from', month: 'Month' } as const

const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const month = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' })

/** What runs took over time. */
export default function Costs() {
  useViewTitle('Costs')
  const { query, route } = useLocation()
  const view = readView(query)
  const { per, by, range } = view
  const utcOffsetMinutes = -new Date().getTimezoneOffset()
  const calendar = { now: serverNow(), utcOffsetMinutes }
  const periods = periodsOf(view, calendar)
  const asked = queryOf(view, periods, calendar)
  const { value, error, isLoading, reload } = useLoad(({ runs }) => runs.costs(asked), [asked], { everyMs: EVERY_MS })
  const isPriced = value === undefined || value.data.some(({ costUsd }) => (costUsd ?? 0) > 0)
  const measure: Measure = view.measure ?? (isPriced ? 'cost' : 'tokens')
  const series = useMemo(
    () => (value === undefined ? undefined : toSeries(value.data, periods, measure)),
    [value, periods.join(), measure],
  )
  const change = (changes: Partial<Record<keyof CostView, string>>): void =>
    route(addressOf(readView({ ...view, measure: view.measure ?? '', folders: view.folders ?? '', ...changes })))
  return (
    <div class="costs-page stack">
      <h1>Costs</h1>
      <search class="row choices" aria-label="Period and grouping">
        <Choice label="Show" options={MEASURE_CHOICES} value={measure} onValue={(to) => change({ measure: to })} />
        <Choice label="Per" options={PERIODS} value={per} onValue={(to) => change({ per: to })} />
        <Choice label="By" options={GROUPS} value={by} onValue={(to) => change({ by: to })} />
        <Choice label="Of the last" options={RANGE_CHOICES} value={range} onValue={(to) => change({ range: to })} />
        {mayDo('admin') && (
          <Choice
            label="Folders"
            options={FOLDER_CHOICES}
            value={view.folders ?? ''}
            onValue={(to) => change({ folders: to })}
          />
        )}
      </search>
      <ErrorNote error={error} onRetry={reload} />
      {series === undefined && isLoading && <p class="empty">Adding up…</p>}
      {series?.length === 0 && (
        <p class="empty">
          No run took anything in this time. <a href="/console/runs">Show all runs</a>
        </p>
      )}
      {series !== undefined && series.length > 0 && (
        <Shown series={series} periods={periods} view={view} measure={measure} />
      )}
    </div>
  )
}

interface ShownProps {
  series: readonly Series[]
  periods: readonly string[]
  view: CostView
  measure: Measure
}

/** A cost beside others, with as many digits as tell them apart. */
const formatTick = (usd: number, step: number): string =>
  usd === 0 ? '$0' : `$${usd.toFixed(Math.min(8, Math.max(2, -Math.floor(Math.log10(step)))))}`

function Shown({ series, periods, view: { per, by }, measure }: ShownProps) {
  const sum = sumOf(series)
  const periodName = (start: string): string =>
    (per === 'month' ? month : day).format(new Date(`${start}T00:00:00.000Z`))
  const nameOf = ({ name, isRest }: Series): string =>
    name === '' ? 'no folder' : by === 'folder' && !isRest ? (name.split(/[/\\]/).filter(Boolean).at(-1) ?? name) : name
  const unpriced = series.filter((one) => one.unpriced > 0)
  const what = `${measure === 'cost' ? 'Costs' : 'Tokens'} per ${per} by ${by}`
  return (
    <>
      <dl class="stats">
        <Stat name="Cost">{formatCost(sum.costUsd)}</Stat>
        <Stat name="Tokens" title={`${formatCount(sum.tokens)} tokens, input and output together`}>
          {formatShort(sum.tokens)}
        </Stat>
        {by === 'folder' && <Stat name="Runs">{formatCount(sum.runs)}</Stat>}
      </dl>
      {unpriced.length > 0 && (
        <p class="warning small">
          Without a known price, and so in no cost:{' '}
          {unpriced.map((one) => `${nameOf(one)} (${plural(one.unpriced, 'run')})`).join(', ')}. Their tokens are
          counted.
        </p>
      )}
      <Bars title={what} series={series} labels={periods.map(periodName)} nameOf={nameOf} measure={measure} />
      <section class="card">
        <CostTable
          label={`${what}, as a table`}
          series={series}
          periods={periods}
          nameOf={nameOf}
          periodName={periodName}
          format={measure === 'cost' ? formatCost : formatCount}
          per={PER_NAMES[per]}
        />
      </section>
      {by === 'model' && (
        <p class="soft tiny">
          A run counts on the day on which it was asked for, with each model that it used. Days are those of this
          browser.
        </p>
      )}
    </>
  )
}

interface BarsProps {
  title: string
  series: readonly Series[]
  /** Names of the periods. */
  labels: readonly string[]
  nameOf: (series: Series) => string
  measure: Measure
}

/** The chart, with the sum of each series, and the figures of the period that is pointed at. */
function Bars({ title, series, labels, nameOf, measure }: BarsProps) {
  const legend = useRef<HTMLUListElement>(null)
  const at = useSignal<number | undefined>(undefined)
  const format = measure === 'cost' ? formatCost : formatShort
  const { value: index = -1 } = at
  const pointed = labels[index]
  const figures = series.filter(({ values }) => (values[index] ?? 0) > 0)
  const colorOf = (of: number): string => {
    const swatch = legend.current?.children[of]?.querySelector('.swatch')
    return swatch == null ? 'gray' : getComputedStyle(swatch).backgroundColor
  }
  return (
    <figure class="card stack tight">
      <figcaption class="row">
        <b>{title}</b>
        <span class="soft small number spread" aria-hidden="true">
          {pointed !== undefined &&
            `${pointed}: ${figures.map((one) => `${nameOf(one)} ${format(one.values[index] ?? 0)}`).join(', ') || 'nothing'}`}
        </span>
      </figcaption>
      <ul ref={legend} class="row legend small">
        {series.map((one, place) => (
          <li key={one.name} title={one.name}>
            <span class="swatch" data-series={place} aria-hidden="true" /> {nameOf(one)}{' '}
            <b class="number">
              {measure === 'cost' && one.costUsd === null ? 'no price' : format(measureOf(one, measure))}
            </b>{' '}
            <span class="soft number">{plural(one.runs, 'run')}</span>
          </li>
        ))}
      </ul>
      <Chart
        series={series}
        labels={labels}
        format={measure === 'cost' ? formatTick : formatShort}
        colorOf={colorOf}
        onPeriod={(to) => (at.value = to)}
      />
    </figure>
  )
}
