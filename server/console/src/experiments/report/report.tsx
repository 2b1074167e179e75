import type { ShownExperiment } from '@svc/sdk/remote'
import { formatCount, plural } from '../../parts/format.ts'
import { Arms, Differences, Front } from './arms.tsx'
import { Assumptions } from './assumptions.tsx'
import { Regressions } from './regressions.tsx'
import { Verdicts } from './verdicts.tsx'

/** The report of an experiment, in the order in which it is read: first what it showed, then the figures, then what they assume. */
export function Report({ shown }: { shown: ShownExperiment }) {
  const { report } = shown
  const { sample, arms, seeds, scorer } = report
  return (
    <>
      <p class="soft small">
        {plural(arms.length, 'arm')} × {plural(sample.tasks, 'task')} × {plural(seeds.length, 'seed')}:{' '}
        {formatCount(sample.cells)} of {plural(sample.planned, 'run')} made. Scored by {scorer}.
      </p>
      <Verdicts report={report} />
      <Differences report={report} />
      <Arms report={report} />
      <Front report={report} />
      <Regressions shown={shown} />
      <Assumptions report={report} />
    </>
  )
}
