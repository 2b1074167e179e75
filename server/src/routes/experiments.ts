import { Texts } from '@svc/core/schema'
import * as Type from 'typebox'
import { ExperimentId, ExperimentItem, listExperiments, readReport } from '../experiments/experiments.ts'
import { ReportShown } from '../experiments/report.ts'
import { ok } from '../http/answer.ts'
import { type Route, type RouteRequest, route } from './route.ts'
import { byId } from './schemas.ts'

export const experimentRoutes: readonly Route[] = [
  route({
    method: 'GET',
    path: '/v1/experiments',
    needs: 'overview',
    summary: 'The experiments that svc experiment made in this folder, the newest first; at most 100.',
    answers: { 200: Type.Object({ data: Type.Array(ExperimentItem) }) },
    isLarge: true,
    handle: async ({ context }) => ok({ data: await listExperiments(context.experiments) }),
  }),
  route({
    method: 'GET',
    path: '/v1/experiments/{id}',
    needs: 'overview',
    summary: 'The report of an experiment, and which runs that it names are in the store.',
    params: byId(ExperimentId),
    answers: {
      200: Type.Object({
        report: ReportShown,
        storedRuns: Texts('ids of runs that regressions name, and that are in the store'),
      }),
    },
    errors: ['experiment_not_found'],
    async handle({ context, params: { id } }) {
      const report = await readReport(context.experiments, id)
      return ok({ report, storedRuns: await findStored(context, report) })
    },
  }),
]

/** Runs of experiments are kept in files; some were imported. */
async function findStored({ runtime }: RouteRequest['context'], { regressions }: ReportShown): Promise<string[]> {
  const ids = new Set(regressions.flatMap(({ worst }) => worst.flatMap(({ base, arm }) => [base.runId, arm.runId])))
  const stored: string[] = []
  for (const id of [...ids].slice(0, MOST_LOOKED_AT)) {
    if (
      await runtime.runs.get(id).then(
        () => true,
        () => false,
      )
    )
      stored.push(id)
  }
  return stored
}

const MOST_LOOKED_AT = 200
