import type { ExperimentReport } from '@svc/sdk/remote'
import { Card } from '../../parts/card.tsx'
import { formatCost, formatDuration, formatShort } from '../../parts/format.ts'
import { Table } from '../../parts/table.tsx'
import { toCost, toPercent, toPoints, toProbability, toRange, toRatio } from './figures.ts'
import { FrontPlot } from './front-plot.tsx'
import { IntervalPlot } from './interval-plot.tsx'

const SCORE_TICKS = [0, 0.5, 1].map((at) => ({ at, label: `${at * 100} %` }))

/** How good each arm is, and what its runs took. */
export function Arms({ report: { arms } }: { report: ExperimentReport }) {
  return (
    <Card title="Arms" note="quality is the mean score, with its 95 % interval">
      <div class="body">
        <IntervalPlot
          domain={[0, 1]}
          ticks={SCORE_TICKS}
          rows={arms.map(({ id, quality }) => ({
            label: id,
            value: quality.value,
            interval: quality.interval,
            text: toPercent(quality.value),
          }))}
          caption="Mean score by arm, with its 95 % interval over families of tasks."
        />
      </div>
      <Table
        label="Table: Arms"
        heads={[
          'Arm',
          'Change',
          'Runs',
          'Failed',
          'Quality',
          '95 % interval',
          'Tokens',
          'Cost',
          'Median time',
          '95 % within',
        ]}
      >
        {arms.map((arm) => (
          <tr key={arm.id}>
            <th scope="row">{arm.id}</th>
            <td class="long">{arm.change}</td>
            <td>{arm.runs}</td>
            <td>{arm.failed.runs === 0 ? '0' : `${arm.failed.runs} (${toPercent(arm.failed.share)})`}</td>
            <td>{toPercent(arm.quality.value)}</td>
            <td>{toRange(arm.quality.interval, toPercent)}</td>
            <td>
              {formatShort(arm.tokens)}
              {arm.estimated && ' (estimate)'}
            </td>
            <td>{formatCost(arm.costUsd)}</td>
            <td>{formatDuration(arm.latencyP50Ms ?? undefined)}</td>
            <td>{formatDuration(arm.latencyP95Ms ?? undefined)}</td>
          </tr>
        ))}
      </Table>
    </Card>
  )
}

/** What changed against the base, task by task. */
export function Differences({ report: { comparisons, noise, margin } }: { report: ExperimentReport }) {
  const all = [...(noise === null ? [] : [noise]), ...comparisons]
  if (all.length === 0) return null
  const reach = Math.max(
    0.05,
    margin * 1.5,
    ...all.flatMap(({ quality: { value, interval } }) =>
      [value ?? 0, interval?.low ?? 0, interval?.high ?? 0].map(Math.abs),
    ),
  )
  return (
    <Card title="Differences from the base" note="paired by task, in points: hundredths of the score">
      <div class="body">
        <IntervalPlot
          domain={[-reach, reach]}
          ticks={[-reach, 0, reach].map((at) => ({ at, label: toPoints(at) }))}
          band={[-margin, margin]}
          rows={all.map(({ arm, quality, finding }) => ({
            label: arm,
            value: quality.value,
            interval: quality.interval,
            text: toPoints(quality.value),
            tone: finding,
          }))}
          caption={`Difference of the mean score, with its 95 % interval. Within the shaded margin of ±${(margin * 100).toFixed(1)} points two arms count as the same.`}
        />
      </div>
      <Table
        label="Table: Differences from the base"
        heads={['Arm', 'Tasks', 'Points', '95 % interval', 'p, adjusted', 'Tokens', 'Cost', 'Time']}
      >
        {all.map((one) => (
          <tr key={one.arm}>
            <th scope="row">{one.arm}</th>
            <td>
              {one.tasks}
              {one.leftOut > 0 && ` (${one.leftOut} left out)`}
            </td>
            <td>{toPoints(one.quality.value)}</td>
            <td>{toRange(one.quality.interval, toPoints)}</td>
            <td>{toProbability(one.holmP)}</td>
            <td>{toRatio(one.tokens)}</td>
            <td>{toRatio(one.costUsd)}</td>
            <td>{toRatio(one.latencyMs)}</td>
          </tr>
        ))}
      </Table>
    </Card>
  )
}

/** Which arm to choose at which cost. */
export function Front({ report }: { report: ExperimentReport }) {
  const { frontier, arms } = report
  const write = toCost(frontier.by)
  const left = arms.filter(({ id }) => id !== 'base-again' && frontier.arms.every((arm) => arm.id !== id))
  return (
    <Card title="Cost and quality" note="which arms no other beats">
      <div class="body stack">
        {frontier.arms.length > 0 && <FrontPlot report={report} />}
        {left.length > 0 && (
          <p class="soft small">No choice, since too many runs failed: {left.map(({ id }) => id).join(', ')}.</p>
        )}
      </div>
      <Table
        label="Table: Cost and quality"
        heads={['Arm', 'Cost of a run', '95 % interval', 'Quality', 'Choice', 'On the front in']}
      >
        {frontier.arms.map(({ id, cost, onFront }) => {
          const beaten = frontier.dominated.find((one) => one.id === id)
          return (
            <tr key={id}>
              <th scope="row">{id}</th>
              <td>{write(cost.value)}</td>
              <td>{toRange(cost.interval, write)}</td>
              <td>{toPercent(arms.find((arm) => arm.id === id)?.quality.value ?? null)}</td>
              <td>{beaten === undefined ? 'on the front' : `beaten by ${beaten.by}`}</td>
              <td>{onFront === null ? '–' : `${toPercent(onFront)} of samples`}</td>
            </tr>
          )
        })}
      </Table>
    </Card>
  )
}
