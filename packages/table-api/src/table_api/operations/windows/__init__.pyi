from table_api.operations.windows.all_windows import WINDOW_ASSIGNERS as WINDOW_ASSIGNERS
from table_api.operations.windows.assigner import MAX_WINDOWS as MAX_WINDOWS
from table_api.operations.windows.assigner import WindowAssigner as WindowAssigner
from table_api.operations.windows.cumulate import CumulateWindow as CumulateWindow
from table_api.operations.windows.emission import WindowEmission as WindowEmission
from table_api.operations.windows.hop import HopWindow as HopWindow
from table_api.operations.windows.session import SessionWindow as SessionWindow
from table_api.operations.windows.tumble import TumbleWindow as TumbleWindow
