/** A process that has one server, and stays until it is killed. */
import { byCommand, createRawServers } from './raw-servers.ts'

createRawServers([byCommand('raw', JSON.parse(process.argv[2] ?? '[]'))])
process.stdin.resume()
