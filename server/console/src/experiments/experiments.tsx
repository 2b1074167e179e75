import { useViewTitle } from '../parts/view-title.ts'

export default function Experiments() {
  useViewTitle('Experiments')
  return <h1>Experiments</h1>
}
