// ./build.sh soak [minutes] [seed]
import { soak } from "./soak.js";

const minutes = Number(process.argv[2] ?? 30);
const seed = Number(process.argv[3] ?? Math.floor(Math.random() * 1e9));
if (!(minutes > 0) || !Number.isInteger(seed)) {
  console.error("soak [minutes] [seed]");
  process.exit(2);
}
console.log(`${minutes} minutes, seed ${seed}`);
const { wrong } = await soak({ seconds: minutes * 60, seed, say: console.log });
for (const line of wrong) console.error(`! ${line}`);
console.log(wrong.length ? `${wrong.length} faults` : "nothing lost, memory flat");
process.exit(wrong.length ? 1 : 0);
