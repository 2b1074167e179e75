import { useViewTitle } from '../parts/view-title.ts'

export default function Costs() {
  useViewTitle('Costs')
  return <h1>Costs</h1>
}
