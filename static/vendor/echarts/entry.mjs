// What the figures of Preferee's pages use of Apache ECharts; see README.md for how echarts.min.js is made from it.
import { CustomChart, HeatmapChart, LineChart, ScatterChart } from "echarts/charts";
import {
  DataZoomInsideComponent,
  GridComponent,
  LegendComponent,
  MarkLineComponent,
  TooltipComponent,
  VisualMapContinuousComponent,
} from "echarts/components";
import { init, use } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";

use([CustomChart, HeatmapChart, LineChart, ScatterChart]);
use([DataZoomInsideComponent, GridComponent, LegendComponent, MarkLineComponent, TooltipComponent]);
use([VisualMapContinuousComponent, CanvasRenderer]);

export { init };
