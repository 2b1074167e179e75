import type { StageAnswer } from '../../../state/outcome.ts'
import { ConsensusAnswer, InspectionAnswer, ReflectionAnswer } from './answers-after.tsx'
import { AllocationAnswer, AnalysisAnswer, PlanAnswer } from './answers-before.tsx'

/** What a stage answered, each in its own form. */
export function Answer({ id, answer }: { id: string; answer: StageAnswer }) {
  switch (answer.stage) {
    case 'analyze':
      return <AnalysisAnswer value={answer.value} />
    case 'allocate':
      return <AllocationAnswer value={answer.value} />
    case 'plan':
      return <PlanAnswer value={answer.value} />
    case 'reflect':
      return <ReflectionAnswer id={id} value={answer.value} />
    case 'consensus':
      return <ConsensusAnswer value={answer.value} />
    case 'inspect':
      return <InspectionAnswer id={id} value={answer.value} />
  }
}
