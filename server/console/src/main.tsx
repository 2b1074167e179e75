import './visible.ts'
import { render } from 'preact'
import { App } from './app.tsx'
import './styles/tokens.css'
import './styles/base.css'

render(<App />, document.getElementById('app') as HTMLElement)
