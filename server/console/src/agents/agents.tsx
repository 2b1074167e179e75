import { useViewTitle } from '../parts/view-title.ts'

export default function Agents() {
  useViewTitle('Agents')
  return <h1>Agents</h1>
}
